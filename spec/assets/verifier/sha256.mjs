/**
 * SHA-256 (FIPS 180-4), synchronous, so that hashing needs no promise and no secure context in a browser.
 *
 * The constants are not a table to be trusted: they are the first 32 bits of the fractional parts of the square roots
 * (initial state) and cube roots (rounds) of the first primes, worked out exactly.
 */

const INITIAL = Uint32Array.from(primes(8), (prime) => fractionBits(prime, 2n));
const ROUND = Uint32Array.from(primes(64), (prime) => fractionBits(prime, 3n));
const BLOCK = 64;

/**
 * The SHA-256 digest of some octets.
 *
 * @param {Uint8Array} bytes
 * @returns {string} 64 lower-case hexadecimal digits
 */
export function sha256(bytes) {
  const state = Uint32Array.from(INITIAL);
  const schedule = new Uint32Array(64);
  const whole = bytes.length - (bytes.length % BLOCK);
  for (let at = 0; at < whole; at += BLOCK) absorb(state, schedule, bytes, at);
  const tail = padded(bytes.subarray(whole), bytes.length);
  for (let at = 0; at < tail.length; at += BLOCK) absorb(state, schedule, tail, at);
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** The last partial block with the padding: a one bit, zeros, and the length in bits as 64 bits. */
function padded(rest, length) {
  const tail = new Uint8Array(rest.length + 9 > BLOCK ? 2 * BLOCK : BLOCK);
  tail.set(rest);
  tail[rest.length] = 0x80;
  new DataView(tail.buffer).setBigUint64(tail.length - 8, BigInt(length) * 8n);
  return tail;
}

/** One round of the compression function over the block at `at`. */
function absorb(state, w, bytes, at) {
  for (let t = 0; t < 16; t += 1) {
    const k = at + 4 * t;
    w[t] = (bytes[k] << 24) | (bytes[k + 1] << 16) | (bytes[k + 2] << 8) | bytes[k + 3];
  }
  for (let t = 16; t < 64; t += 1) {
    const s0 = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ (w[t - 15] >>> 3);
    const s1 = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ (w[t - 2] >>> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 64; t += 1) {
    const sum1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const first = (h + sum1 + ((e & f) ^ (~e & g)) + ROUND[t] + w[t]) | 0;
    const sum0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const second = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, k) => {
    state[k] += word;
  });
}

function turn(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}

/** floor(fraction(prime^(1/degree)) * 2^32), exactly. */
function fractionBits(prime, degree) {
  return Number(BigInt.asUintN(32, integerRoot(BigInt(prime) << (32n * degree), degree)));
}

/** The largest r with r^degree <= n, by bisection. */
function integerRoot(n, degree) {
  let [low, high] = [0n, 1n << 40n];
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** degree <= n) low = middle;
    else high = middle;
  }
  return low;
}

function primes(count) {
  const found = [];
  for (let n = 2; found.length < count; n += 1) {
    if (found.every((prime) => n % prime !== 0)) found.push(n);
  }
  return found;
}
