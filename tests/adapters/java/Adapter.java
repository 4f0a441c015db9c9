import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

// A second implementation of the octet, evidence and contract layers of groundrules,
// written from the chapters, the schemas and the vectors alone. JDK 17, no libraries.
// The source is ASCII, so that it compiles to the same program under every locale.

/** Answers cases on standard input and output, or writes a run: {@code make-run OUTDIR}. */
public final class Adapter {

    private Adapter() {
    }

    /** The entry: the protocol without arguments, {@code make-run OUTDIR} with them. */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length == 2 && arguments[0].equals("make-run")) {
            Run.write(Path.of(arguments[1]));
            return;
        }
        if (arguments.length != 0) {
            System.err.println("usage: java -cp OUT Adapter [make-run OUTDIR]");
            System.exit(2);
        }
        OutputStream out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
        new Protocol(new BufferedInputStream(System.in, 1 << 16), out).serve();
    }
}

// ====================================================================================
// Values
// ====================================================================================

/** A value that strict reading yields. The kinds are closed, so that no other gets in (canon.domain). */
sealed interface Json permits Nothing, Truth, Whole, Real, Text, Items, Members {
}

/** The value null. */
enum Nothing implements Json {
    NULL
}

/** The values true and false. */
enum Truth implements Json {
    TRUE, FALSE
}

/** An integer by all its digits; {@code -0} is {@code 0} (json.integers-kept, canon.py-integers). */
record Whole(String digits) implements Json {

    private static final Whole[] SMALL = new Whole[10];

    static {
        for (int i = 0; i < SMALL.length; i++) {
            SMALL[i] = new Whole(Integer.toString(i));
        }
    }

    static Whole of(String literal) {
        if (literal.length() == 1) {
            return SMALL[literal.charAt(0) - '0'];
        }
        return literal.equals("-0") ? SMALL[0] : new Whole(literal);
    }
}

/** A double: what had a fraction or an exponent (json.integers-kept). */
record Real(double value) implements Json {
}

/** A string of Unicode scalar values, held in UTF-16 without a lone surrogate. */
record Text(String value) implements Json {
}

/** An array. */
record Items(List<Json> values) implements Json {

    static final Items EMPTY = new Items(List.of());
}

/** An object, its members in document order. */
record Members(Map<String, Json> values) implements Json {

    static final Members EMPTY = new Members(Map.of());

    Json get(String name) {
        return values.get(name);
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    /** The member's value where it is a string, else null: nothing is coerced. */
    String text(String name) {
        return values.get(name) instanceof Text text ? text.value() : null;
    }
}

/** A document is refused: one stage, one code (json.first-offence). It carries no stack trace. */
final class Refusal extends Exception {

    private static final long serialVersionUID = 1L;

    final String stage;
    final String code;

    Refusal(String stage, String code) {
        super(stage + ": " + code, null, false, false);
        this.stage = stage;
        this.code = code;
    }
}

/** Octets being written. */
final class Octets {

    private byte[] held = new byte[256];
    private int length;

    void octet(int value) {
        if (length == held.length) {
            grow(1);
        }
        held[length++] = (byte) value;
    }

    void ascii(String text) {
        for (int i = 0; i < text.length(); i++) {
            octet(text.charAt(i));
        }
    }

    void all(byte[] octets, int from, int count) {
        if (count > held.length - length) {
            grow(count);
        }
        System.arraycopy(octets, from, held, length, count);
        length += count;
    }

    void scalar(int point) {
        if (point < 0x80) {
            octet(point);
        } else if (point < 0x800) {
            octet(0xC0 | point >> 6);
            octet(0x80 | point & 0x3F);
        } else if (point < 0x10000) {
            octet(0xE0 | point >> 12);
            octet(0x80 | point >> 6 & 0x3F);
            octet(0x80 | point & 0x3F);
        } else {
            octet(0xF0 | point >> 18);
            octet(0x80 | point >> 12 & 0x3F);
            octet(0x80 | point >> 6 & 0x3F);
            octet(0x80 | point & 0x3F);
        }
    }

    byte[] taken() {
        return Arrays.copyOf(held, length);
    }

    private void grow(int more) {
        long wanted = Math.max(2L * held.length, (long) length + more);
        long most = Integer.MAX_VALUE - 8;
        if ((long) length + more > most) {
            throw new OutOfMemoryError("more octets than an array holds");
        }
        held = Arrays.copyOf(held, (int) Math.min(wanted, most));
    }
}

// ====================================================================================
// Strict JSON: encoding
// ====================================================================================

/** The stage decode, which looks at octets only. */
final class Encoding {

    /** json.document-limit: 64 MiB. */
    static final int LIMIT = 64 << 20;

    private Encoding() {
    }

    /** json.first-offence: size, other encoding, byte-order mark, UTF-8, in this order. */
    static void check(byte[] octets, int limit) throws Refusal {
        if (octets.length > limit) {
            throw refusal("read.document-too-large");
        }
        if (isOther(octets)) {
            throw refusal("read.other-encoding");
        }
        if (starts(octets, 0xEF, 0xBB, 0xBF)) {
            throw refusal("read.byte-order-mark");
        }
        if (!isUtf8(octets)) {
            throw refusal("read.invalid-utf8");
        }
    }

    /** json.utf8: the marks of UTF-16, or a zero octet among the first two. */
    private static boolean isOther(byte[] octets) {
        for (int i = 0; i < Math.min(2, octets.length); i++) {
            if (octets[i] == 0) {
                return true;
            }
        }
        return starts(octets, 0xFE, 0xFF) || starts(octets, 0xFF, 0xFE);
    }

    private static boolean starts(byte[] octets, int... mark) {
        if (octets.length < mark.length) {
            return false;
        }
        for (int i = 0; i < mark.length; i++) {
            if ((octets[i] & 0xFF) != mark[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean isUtf8(byte[] octets) {
        int at = 0;
        while (at < octets.length) {
            int length = octets[at] >= 0 ? 1 : sequence(octets, at);
            if (length == 0) {
                return false;
            }
            at += length;
        }
        return true;
    }

    /** The length of the well-formed sequence that begins here with a lead octet, or 0 (RFC 3629). */
    private static int sequence(byte[] octets, int at) {
        int lead = octets[at] & 0xFF;
        int length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
        if (length == 0 || length > octets.length - at || !isSecond(lead, octets[at + 1] & 0xFF)) {
            return 0;
        }
        for (int i = at + 2; i < at + length; i++) {
            if ((octets[i] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return length;
    }

    /** The second octet excludes overlong forms, surrogates and what lies beyond U+10FFFF. */
    private static boolean isSecond(int lead, int octet) {
        int least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
        int most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
        return octet >= least && octet <= most;
    }

    private static Refusal refusal(String code) {
        return new Refusal("decode", code);
    }
}

// ====================================================================================
// Strict JSON: grammar, numbers, limits
// ====================================================================================

/**
 * The stage parse. It reads octets that are known to be UTF-8, in one pass, and stops at the first
 * offence in document order (json.first-offence). Recursion is bounded by json.depth-limit.
 */
final class Reader {

    /** json.depth-limit. */
    static final int DEPTH = 64;
    /** json.number-limit. */
    static final int NUMBER = 1100;

    private final byte[] octets;
    private int at;

    private Reader(byte[] octets) {
        this.octets = octets;
    }

    /** Reads one document within the limits of the specification. */
    static Json read(byte[] octets) throws Refusal {
        return read(octets, Encoding.LIMIT);
    }

    /** Reads one document of at most so many octets; json.total for what the machine cannot hold. */
    static Json read(byte[] octets, int limit) throws Refusal {
        Encoding.check(octets, limit);
        try {
            return new Reader(octets).document();
        } catch (OutOfMemoryError e) {
            throw refusal("read.out-of-memory");
        }
    }

    /** json.grammar, json.one-value. */
    private Json document() throws Refusal {
        space();
        if (at == octets.length) {
            throw refusal("read.empty");
        }
        Json value = value(0);
        space();
        if (at < octets.length) {
            throw refusal("read.trailing-data");
        }
        return value;
    }

    private Json value(int depth) throws Refusal {
        switch (peek()) {
            case '{':
                return object(deeper(depth));
            case '[':
                return array(deeper(depth));
            case '"':
                return new Text(string());
            case 't':
                return word("true", Truth.TRUE);
            case 'f':
                return word("false", Truth.FALSE);
            case 'n':
                return word("null", Nothing.NULL);
            default:
                return number();
        }
    }

    /** json.depth-limit: the offence stands at the bracket that opens the 65th level. */
    private static int deeper(int depth) throws Refusal {
        if (depth == DEPTH) {
            throw refusal("read.too-deep");
        }
        return depth + 1;
    }

    private Json array(int depth) throws Refusal {
        at++;
        space();
        if (taken(']')) {
            return Items.EMPTY;
        }
        ArrayList<Json> values = new ArrayList<>(4);
        do {
            space();
            values.add(value(depth));
            space();
        } while (taken(','));
        expect(']');
        return new Items(values);
    }

    private Json object(int depth) throws Refusal {
        at++;
        space();
        if (taken('}')) {
            return Members.EMPTY;
        }
        Map<String, Json> values = new LinkedHashMap<>(4);
        do {
            space();
            String name = name(values);
            space();
            expect(':');
            space();
            values.put(name, value(depth));
            space();
        } while (taken(','));
        expect('}');
        return new Members(values);
    }

    /** json.unique-names: told once the second name has been read, before its value. */
    private String name(Map<String, Json> values) throws Refusal {
        if (peek() != '"') {
            throw refusal("read.syntax");
        }
        String name = string();
        if (values.containsKey(name)) {
            throw refusal("read.duplicate-name");
        }
        return name;
    }

    private Json word(String word, Json value) throws Refusal {
        if (!stands(word)) {
            throw refusal("read.syntax");
        }
        at += word.length();
        return value;
    }

    // Strings

    private String string() throws Refusal {
        int start = ++at;
        int end = plain();
        if (octets[end] == '"') {
            at = end + 1;
            return new String(octets, start, end - start, StandardCharsets.UTF_8);
        }
        StringBuilder text = new StringBuilder();
        while (octets[end] == '\\') {
            text.append(new String(octets, at, end - at, StandardCharsets.UTF_8));
            at = end + 1;
            escape(text);
            end = plain();
        }
        text.append(new String(octets, at, end - at, StandardCharsets.UTF_8));
        at = end + 1;
        return text.toString();
    }

    /** Where the next quotation mark or backslash is; a control character or the end is an offence. */
    private int plain() throws Refusal {
        for (int i = at; i < octets.length; i++) {
            int octet = octets[i];
            if (octet == '"' || octet == '\\') {
                return i;
            }
            if (octet >= 0 && octet < 0x20) {
                break;
            }
        }
        throw refusal("read.syntax");
    }

    private void escape(StringBuilder text) throws Refusal {
        int letter = peek();
        at++;
        switch (letter) {
            case '"', '\\', '/' -> text.append((char) letter);
            case 'b' -> text.append('\b');
            case 'f' -> text.append('\f');
            case 'n' -> text.append('\n');
            case 'r' -> text.append('\r');
            case 't' -> text.append('\t');
            case 'u' -> unit(text);
            default -> throw refusal("read.syntax");
        }
    }

    /**
     * json.no-lone-surrogates: the first half offends where it stands, whatever is wrong with what
     * follows it.
     */
    private void unit(StringBuilder text) throws Refusal {
        int first = hex(at);
        if (first < 0) {
            throw refusal("read.syntax");
        }
        at += 4;
        text.append((char) first);
        if (!Character.isSurrogate((char) first)) {
            return;
        }
        int second = stands("\\" + "u") ? hex(at + 2) : -1;
        if (first >= 0xDC00 || second < 0xDC00 || second > 0xDFFF) {
            throw refusal("read.lone-surrogate");
        }
        at += 6;
        text.append((char) second);
    }

    /** Four hexadecimal digits from here, or -1. */
    private int hex(int from) {
        if (from + 4 > octets.length) {
            return -1;
        }
        int value = 0;
        for (int i = from; i < from + 4; i++) {
            int digit = octets[i] < 0 ? -1 : Character.digit((char) octets[i], 16);
            if (digit < 0) {
                return -1;
            }
            value = value << 4 | digit;
        }
        return value;
    }

    // Numbers

    /** json.no-non-finite, json.grammar, json.number-limit, json.no-overflow, in this order. */
    private Json number() throws Refusal {
        if (stands("NaN") || stands("Infinity") || stands("-Infinity")) {
            throw refusal("read.non-finite-token");
        }
        int start = at;
        while (at < octets.length && "-+.0123456789eE".indexOf(octets[at]) >= 0) {
            at++;
        }
        int whole = wholeEnd(start);
        if (whole < 0 || fractionEnd(whole) != at) {
            throw refusal("read.syntax");
        }
        if (at - start > NUMBER) {
            throw refusal("read.number-too-long");
        }
        String literal = new String(octets, start, at - start, StandardCharsets.ISO_8859_1);
        return whole == at ? Whole.of(literal) : real(literal);
    }

    private static Json real(String literal) throws Refusal {
        double value = Double.parseDouble(literal);
        if (Double.isInfinite(value)) {
            throw refusal("read.number-overflow");
        }
        return new Real(value);
    }

    /** Behind the sign and the integer part, or -1. */
    private int wholeEnd(int from) {
        int first = from < at && octets[from] == '-' ? from + 1 : from;
        int end = digitsEnd(first);
        if (end == first || octets[first] == '0' && end > first + 1) {
            return -1;
        }
        return end;
    }

    /** Behind the fraction and the exponent, or -1. */
    private int fractionEnd(int from) {
        int end = from;
        if (end < at && octets[end] == '.') {
            end = digitsEnd(from + 1);
            if (end == from + 1) {
                return -1;
            }
        }
        if (end < at && (octets[end] == 'e' || octets[end] == 'E')) {
            int sign = end + 1 < at && (octets[end + 1] == '+' || octets[end + 1] == '-') ? 1 : 0;
            int first = end + 1 + sign;
            end = digitsEnd(first);
            if (end == first) {
                return -1;
            }
        }
        return end;
    }

    private int digitsEnd(int from) {
        int end = from;
        while (end < at && octets[end] >= '0' && octets[end] <= '9') {
            end++;
        }
        return end;
    }

    // Octets

    private void space() {
        while (at < octets.length) {
            int octet = octets[at];
            if (octet != ' ' && octet != '\t' && octet != '\n' && octet != '\r') {
                return;
            }
            at++;
        }
    }

    private int peek() {
        return at < octets.length ? octets[at] : -1;
    }

    private boolean taken(char wanted) {
        if (peek() != wanted) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(char wanted) throws Refusal {
        if (!taken(wanted)) {
            throw refusal("read.syntax");
        }
    }

    private boolean stands(String word) {
        if (word.length() > octets.length - at) {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            if (octets[at + i] != word.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private static Refusal refusal(String code) {
        return new Refusal("parse", code);
    }
}

// ====================================================================================
// Canonical JSON: the shortest digits of a double
// ====================================================================================

/**
 * The digits d1...dk and the exponent n of a positive double 0.d1...dk x 10^n (canon.py-floats).
 *
 * <p>Exact, in whole numbers. A double is c x 2^q. What reads back as it lies between the middles to
 * its neighbours, the middles included where c is even. With 10^k the largest power of ten that is no
 * wider than that interval, at least one multiple of 10^k and at most one of 10^(k+1) lies in it. The
 * latter has the fewest digits where there is one; else of the two multiples of 10^k around the double
 * the closer that lies in the interval has, and of two equally close the even one.
 */
record Digits(String digits, int point) {

    private static final BigInteger[] TENS = new BigInteger[330];
    private static final double LOG2 = Math.log10(2);

    static {
        TENS[0] = BigInteger.ONE;
        for (int i = 1; i < TENS.length; i++) {
            TENS[i] = TENS[i - 1].multiply(BigInteger.TEN);
        }
    }

    /** The digits of a double greater than zero and finite. */
    static Digits of(double value) {
        if (value < 0x1p53 && value == Math.rint(value)) {
            return trimmed((long) value, 0);
        }
        long bits = Double.doubleToRawLongBits(value);
        int field = (int) (bits >>> 52);
        long fraction = bits & (1L << 52) - 1;
        long c = field == 0 ? fraction : fraction | 1L << 52;
        int q = Math.max(field, 1) - 1075;
        boolean narrow = fraction == 0 && field > 1;
        return shortest(c, q, narrow);
    }

    /** Narrow: the neighbour below is half as far away as the one above. */
    private static Digits shortest(long c, int q, boolean narrow) {
        int k = (int) Math.floor(q * LOG2 + (narrow ? Math.log10(0.75) : 0));
        BigInteger unit = power(Math.max(-k, 0)).shiftLeft(Math.max(q - 2, 0));
        BigInteger ten = power(Math.max(k, 0)).shiftLeft(Math.max(2 - q, 0));
        Interval interval = new Interval(
            BigInteger.valueOf(4 * c - (narrow ? 1 : 2)).multiply(unit),
            BigInteger.valueOf(4 * c).multiply(unit),
            BigInteger.valueOf(4 * c + 2).multiply(unit),
            ten, c % 2 == 0);
        return trimmed(interval.best(), k);
    }

    private static BigInteger power(int exponent) {
        return TENS[exponent];
    }

    /** Digits without the zeros at their end, and where the point stands before the first. */
    private static Digits trimmed(long number, int exponent) {
        String all = Long.toString(number);
        int end = all.length();
        while (all.charAt(end - 1) == '0') {
            end--;
        }
        return new Digits(all.substring(0, end), all.length() + exponent);
    }

    /** A double and the middles to its neighbours, as multiples of one small unit; ten is 10^k of them. */
    private record Interval(BigInteger low, BigInteger value, BigInteger high, BigInteger ten,
                            boolean closed) {

        long best() {
            BigInteger[] parts = value.divideAndRemainder(ten);
            long below = parts[0].longValueExact();
            long shorter = below - below % 10;
            if (holds(shorter)) {
                return shorter;
            }
            if (holds(shorter + 10)) {
                return shorter + 10;
            }
            if (!holds(below + 1)) {
                return below;
            }
            return holds(below) && isCloser(below, parts[1]) ? below : below + 1;
        }

        private boolean isCloser(long below, BigInteger rest) {
            int order = rest.shiftLeft(1).compareTo(ten);
            return order < 0 || order == 0 && below % 2 == 0;
        }

        private boolean holds(long multiple) {
            BigInteger place = BigInteger.valueOf(multiple).multiply(ten);
            int least = closed ? 0 : 1;
            return place.compareTo(low) >= least && high.compareTo(place) >= least;
        }
    }
}

// ====================================================================================
// Canonical JSON: the two forms
// ====================================================================================

/** How a projection is written. */
enum Form {
    PYJSON {
        @Override
        Comparator<String> order() {
            return Form::byCodePoint;
        }

        @Override
        String number(Whole whole) {
            return whole.digits();
        }

        @Override
        String number(Real real) {
            return pyNumber(real.value());
        }

        @Override
        void admit(String text) {
        }
    },
    JCS_SAFE {
        @Override
        Comparator<String> order() {
            return Comparator.naturalOrder();
        }

        @Override
        String number(Whole whole) throws Refusal {
            return jcsNumber(Double.parseDouble(whole.digits()));
        }

        @Override
        String number(Real real) throws Refusal {
            return jcsNumber(real.value());
        }

        @Override
        void admit(String text) throws Refusal {
            refuseNoncharacter(text);
        }
    };

    private static final double SAFE = 0x1p53 - 1;

    /** canon.py-order, canon.jcs-order. */
    abstract Comparator<String> order();

    abstract String number(Whole whole) throws Refusal;

    abstract String number(Real real) throws Refusal;

    /** Refuses a string that the form does not take. */
    abstract void admit(String text) throws Refusal;

    /**
     * canon.py-order: by code point. Units differ from code points only in that surrogates stand for
     * what is above U+FFFF, so they are moved behind all other units.
     */
    static int byCodePoint(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                return rank(x) - rank(y);
            }
        }
        return a.length() - b.length();
    }

    private static int rank(char unit) {
        return Character.isSurrogate(unit) ? unit + 0x10000 : unit;
    }

    /** canon.py-floats. */
    static String pyNumber(double value) {
        if (value == 0) {
            return 1 / value < 0 ? "-0.0" : "0.0";
        }
        Digits shortest = Digits.of(Math.abs(value));
        String sign = value < 0 ? "-" : "";
        int n = shortest.point();
        if (n > -4 && n <= 16) {
            String fixed = fixed(shortest.digits(), n);
            return sign + (n >= shortest.digits().length() ? fixed + ".0" : fixed);
        }
        String exponent = Integer.toString(Math.abs(n - 1));
        String zero = exponent.length() < 2 ? "0" : "";
        return sign + pointed(shortest.digits()) + (n > 0 ? "e+" : "e-") + zero + exponent;
    }

    /** canon.jcs-numbers, canon.jcs-range. */
    static String jcsNumber(double value) throws Refusal {
        if (Math.abs(value) > SAFE) {
            throw refusal("canon.number-out-of-range");
        }
        if (value == 0) {
            return "0";
        }
        Digits shortest = Digits.of(Math.abs(value));
        String sign = value < 0 ? "-" : "";
        int n = shortest.point();
        if (n > -6) {
            return sign + fixed(shortest.digits(), n);
        }
        return sign + pointed(shortest.digits()) + "e-" + (1 - n);
    }

    private static String fixed(String digits, int n) {
        if (n <= 0) {
            return "0." + "0".repeat(-n) + digits;
        }
        if (n >= digits.length()) {
            return digits + "0".repeat(n - digits.length());
        }
        return digits.substring(0, n) + "." + digits.substring(n);
    }

    private static String pointed(String digits) {
        return digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
    }

    /** canon.jcs-noncharacters. */
    private static void refuseNoncharacter(String text) throws Refusal {
        for (int i = 0; i < text.length();) {
            int point = text.codePointAt(i);
            if (point >= 0xFDD0 && point <= 0xFDEF || (point & 0xFFFE) == 0xFFFE) {
                throw refusal("canon.noncharacter");
            }
            i += Character.charCount(point);
        }
    }

    private static Refusal refusal(String code) {
        return new Refusal("canonicalise", code);
    }
}

/** Writes a value in a form; the first offence in canonical order ends it. */
final class Writer {

    private final Form form;
    private final Octets out = new Octets();

    private Writer(Form form) {
        this.form = form;
    }

    static byte[] write(Json value, Form form) throws Refusal {
        Writer writer = new Writer(form);
        writer.value(value);
        return writer.out.taken();
    }

    /** The octets under pyjson, which has octets for every value that strict reading yields. */
    static byte[] pyjson(Json value) {
        try {
            return write(value, Form.PYJSON);
        } catch (Refusal e) {
            throw new IllegalStateException(e);
        }
    }

    private void value(Json value) throws Refusal {
        if (value instanceof Text text) {
            string(text.value());
        } else if (value instanceof Whole whole) {
            out.ascii(form.number(whole));
        } else if (value instanceof Real real) {
            out.ascii(form.number(real));
        } else if (value instanceof Items items) {
            items(items);
        } else if (value instanceof Members members) {
            members(members);
        } else {
            out.ascii(value == Nothing.NULL ? "null" : value == Truth.TRUE ? "true" : "false");
        }
    }

    /** canon.py-space: no white space between tokens. */
    private void items(Items items) throws Refusal {
        out.octet('[');
        boolean first = true;
        for (Json item : items.values()) {
            if (!first) {
                out.octet(',');
            }
            first = false;
            value(item);
        }
        out.octet(']');
    }

    private void members(Members members) throws Refusal {
        String[] names = members.values().keySet().toArray(new String[0]);
        Arrays.sort(names, form.order());
        out.octet('{');
        for (int i = 0; i < names.length; i++) {
            if (i > 0) {
                out.octet(',');
            }
            string(names[i]);
            out.octet(':');
            value(members.get(names[i]));
        }
        out.octet('}');
    }

    /** canon.py-unicode, canon.jcs-escapes: what needs no escape stands for itself. */
    private void string(String text) throws Refusal {
        form.admit(text);
        out.octet('"');
        for (int i = 0; i < text.length();) {
            int point = text.codePointAt(i);
            if (point < 0x20 || point == '"' || point == '\\') {
                escape(point);
            } else {
                out.scalar(point);
            }
            i += Character.charCount(point);
        }
        out.octet('"');
    }

    /** canon.py-escapes: these and no others. HTML means nothing here. */
    private void escape(int point) {
        out.octet('\\');
        switch (point) {
            case '"', '\\' -> out.octet(point);
            case '\b' -> out.octet('b');
            case '\f' -> out.octet('f');
            case '\n' -> out.octet('n');
            case '\r' -> out.octet('r');
            case '\t' -> out.octet('t');
            default -> {
                out.ascii(point < 0x10 ? "u000" : "u001");
                out.octet("0123456789abcdef".charAt(point & 0xF));
            }
        }
    }
}

// ====================================================================================
// Canonical JSON: names, projections, hashes
// ====================================================================================

/** Which part of a document a name covers. */
enum Projection {
    /** canon.whole-document. */
    WHOLE(List.of()) {
        @Override
        Json of(Json document) {
            return document;
        }
    },
    /** canon.record-members. */
    RECORD(List.of("fairsharing_id", "doi", "name", "abbreviation", "record_type", "status",
        "description", "subjects", "domains")) {
        @Override
        Json of(Json document) throws Refusal {
            Map<String, Json> kept = new LinkedHashMap<>();
            for (String name : covered) {
                Json value = object(document).get(name);
                kept.put(name, value instanceof Items list ? labels(list) : value == null ? Nothing.NULL : value);
            }
            return new Members(kept);
        }
    },
    /** canon.fact-members. */
    FACT(List.of("source_id", "domain", "text", "citation", "citation_id", "published_date",
        "indexed_at", "authority")) {
        @Override
        Json of(Json document) throws Refusal {
            Map<String, Json> kept = new LinkedHashMap<>();
            for (String name : covered) {
                if (!(object(document).get(name) instanceof Text text)) {
                    throw refusal("canon.fact-member");
                }
                kept.put(name, text);
            }
            return new Members(kept);
        }
    };

    final List<String> covered;

    Projection(List<String> covered) {
        this.covered = covered;
    }

    abstract Json of(Json document) throws Refusal;

    private static Members object(Json document) throws Refusal {
        if (document instanceof Members members) {
            return members;
        }
        throw refusal("canon.not-an-object");
    }

    /** canon.label-order: sorted by code point, duplicates kept. */
    private static Json labels(Items list) throws Refusal {
        List<String> texts = new ArrayList<>();
        for (Json label : list.values()) {
            texts.add(label(label));
        }
        texts.sort(Form::byCodePoint);
        List<Json> sorted = new ArrayList<>();
        for (String text : texts) {
            sorted.add(new Text(text));
        }
        return new Items(sorted);
    }

    /** canon.label-text, canon.label-scalar. */
    private static String label(Json label) throws Refusal {
        if (label instanceof Text text) {
            return text.value();
        }
        if (label instanceof Whole whole) {
            return whole.digits();
        }
        if (label instanceof Real real) {
            return Form.pyNumber(real.value());
        }
        if (label instanceof Truth truth) {
            return truth == Truth.TRUE ? "True" : "False";
        }
        if (label == Nothing.NULL) {
            return "None";
        }
        throw refusal("canon.label-not-scalar");
    }

    static Refusal refusal(String code) {
        return new Refusal("project", code);
    }
}

/** The registered names (canon.registered-names, canon.permanent-names). */
enum Name {
    RECORDS("json-sorted-utf8-v1", false, Projection.RECORD, Form.PYJSON),
    INPUT("dd-input-json-v1", true, Projection.WHOLE, Form.PYJSON),
    DOCUMENT("dd-json-document-v1", false, Projection.WHOLE, Form.PYJSON),
    ENVELOPE("dd-envelope-json-v1", false, Projection.WHOLE, Form.PYJSON),
    JCS_INPUT("jcs-input-v1", true, Projection.WHOLE, Form.JCS_SAFE),
    JCS_DOCUMENT("jcs-document-v1", false, Projection.WHOLE, Form.JCS_SAFE),
    JCS_ENVELOPE("jcs-envelope-v1", false, Projection.WHOLE, Form.JCS_SAFE),
    FACTS("groundrules-fact-v1", false, Projection.FACT, Form.JCS_SAFE);

    private static final Map<String, Name> REGISTERED = new HashMap<>();

    static {
        for (Name name : values()) {
            REGISTERED.put(name.text, name);
        }
    }

    final String text;
    final boolean forInputs;
    final Projection projection;
    final Form form;

    Name(String text, boolean forInputs, Projection projection, Form form) {
        this.text = text;
        this.forInputs = forInputs;
        this.projection = projection;
        this.form = form;
    }

    /** The name of this text, compared exactly, or null. */
    static Name of(String text) {
        return REGISTERED.get(text);
    }

    static boolean isForInputs(String text) {
        Name name = of(text);
        return name != null && name.forInputs;
    }

    String digest(Json document) throws Refusal {
        return sha256(Writer.write(projection.of(document), form));
    }

    /** canon.digest: 64 lower-case hex digits. */
    static String sha256(byte[] octets) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(octets);
            StringBuilder hex = new StringBuilder(64);
            for (byte octet : hash) {
                hex.append(Character.forDigit(octet >> 4 & 0xF, 16)).append(Character.forDigit(octet & 0xF, 16));
            }
            return hex.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}

// ====================================================================================
// Canonical JSON: evidence, rule E1
// ====================================================================================

/** What E1 says of one evidence item. */
record ItemVerdict(String sourceId, String verdict, Set<String> codes, Set<String> notes) {
}

/** Rule E1 on one evidence item. */
final class ItemCheck {

    private final Set<String> codes = new TreeSet<>();
    private final Set<String> notes = new TreeSet<>();
    private boolean hashed;

    private ItemCheck() {
    }

    static ItemVerdict of(Json item) {
        ItemCheck check = new ItemCheck();
        check.item(item);
        String id = item instanceof Members members ? members.text("source_id") : null;
        String verdict = !check.codes.isEmpty() ? "failed" : check.hashed ? "verified" : "unchecked";
        return new ItemVerdict(id == null ? "" : id, verdict, check.codes, check.notes);
    }

    /** evidence.item, evidence.known-name, evidence.content-object: each of these ends the matter. */
    private void item(Json value) {
        if (!Shapes.fits(Shapes.EVIDENCE_ITEM, value)) {
            codes.add("e1.malformed-item");
            return;
        }
        Members item = (Members) value;
        Name name = Name.of(item.text("canonicalisation"));
        if (name == null) {
            codes.add("e1.unknown-canonicalisation");
        } else if (!item.has("content")) {
            hashed = false;
        } else if (!name.forInputs && !(item.get("content") instanceof Members)) {
            codes.add("e1.content-not-object");
        } else {
            content(item.get("content"), name, item.text("content_hash"));
        }
    }

    /** evidence.in-domain, evidence.content-hash. */
    private void content(Json content, Name name, String hash) {
        Json projected;
        byte[] octets;
        try {
            projected = name.projection.of(content);
            octets = Writer.write(projected, name.form);
        } catch (Refusal e) {
            codes.add("e1.outside-domain");
            return;
        }
        hashed = true;
        if (!Name.sha256(octets).equals(hash)) {
            codes.add("e1.hash-mismatch");
            if (becameFloats(content, name, hash)) {
                notes.add("note.numbers-changed");
            }
        }
        if (name.projection != Projection.WHOLE) {
            shown((Members) content, (Members) projected);
        }
    }

    /** evidence.shown-is-hashed: the content member for member against its projection. */
    private void shown(Members content, Members projected) {
        for (String name : content.values().keySet()) {
            if (!projected.has(name)) {
                codes.add("e1.unhashed-member");
            }
        }
        for (Map.Entry<String, Json> member : projected.values().entrySet()) {
            Json value = content.get(member.getKey());
            if (value == null) {
                notes.add("note.member-absent");
            } else if (!isSame(value, member.getValue())) {
                differs(value);
            }
        }
    }

    private static boolean isSame(Json a, Json b) {
        return Arrays.equals(Writer.pyjson(a), Writer.pyjson(b));
    }

    /** A list of strings differs from its projection in order alone; any other label is coerced. */
    private void differs(Json value) {
        boolean strings = value instanceof Items list && list.values().stream().allMatch(Text.class::isInstance);
        if (strings) {
            notes.add("note.label-order");
        } else {
            codes.add("e1.coerced-value");
        }
    }

    /** evidence.numbers-changed: would the hash match if every integral double were an integer? */
    private static boolean becameFloats(Json content, Name name, String hash) {
        try {
            return name.digest(withIntegers(content)).equals(hash);
        } catch (Refusal e) {
            return false;
        }
    }

    private static Json withIntegers(Json value) {
        if (value instanceof Real real && real.value() == Math.rint(real.value())) {
            return Whole.of(new BigDecimal(real.value()).toBigInteger().toString());
        }
        if (value instanceof Items items) {
            List<Json> changed = new ArrayList<>();
            items.values().forEach(item -> changed.add(withIntegers(item)));
            return new Items(changed);
        }
        if (value instanceof Members members) {
            Map<String, Json> changed = new LinkedHashMap<>();
            members.values().forEach((name, member) -> changed.put(name, withIntegers(member)));
            return new Members(changed);
        }
        return value;
    }
}

/** Rule E1 on the evidence of one envelope. */
record EvidenceVerdict(String verdict, Set<String> codes, List<ItemVerdict> items) {

    /** evidence.envelope. An absent list is an empty one, and an empty one is unchecked. */
    static EvidenceVerdict of(Json envelope) throws Refusal {
        List<ItemVerdict> items = new ArrayList<>();
        Set<String> codes = new TreeSet<>();
        for (Json item : evidence(envelope).values()) {
            ItemVerdict verdict = ItemCheck.of(item);
            items.add(verdict);
            codes.addAll(verdict.codes());
        }
        boolean all = !items.isEmpty() && items.stream().allMatch(item -> item.verdict().equals("verified"));
        return new EvidenceVerdict(!codes.isEmpty() ? "fail" : all ? "pass" : "unchecked", codes, items);
    }

    private static Items evidence(Json envelope) throws Refusal {
        if (envelope instanceof Members members) {
            if (!members.has("evidence")) {
                return Items.EMPTY;
            }
            if (members.get("evidence") instanceof Items items) {
                return items;
            }
        }
        throw new Refusal("schema", "schema.envelope");
    }
}

// ====================================================================================
// Envelope and contract: places and findings
// ====================================================================================

/** A place in a document: where its parent is, by which step, and the how-manieth member it is. */
record Place(Place parent, String step, int ordinal, int depth) {

    static final Place ROOT = new Place(null, "", 0, 0);

    Place item(int index) {
        return new Place(this, Integer.toString(index), index, depth + 1);
    }

    Place member(String name, int position) {
        return new Place(this, name, position, depth + 1);
    }

    /** The place of a member that the object has. */
    Place member(Members object, String name) {
        int position = 0;
        for (String other : object.values().keySet()) {
            if (other.equals(name)) {
                break;
            }
            position++;
        }
        return member(name, position);
    }

    /** RFC 6901. */
    String pointer() {
        if (parent == null) {
            return "";
        }
        return parent.pointer() + "/" + step.replace("~", "~0").replace("/", "~1");
    }

    /** Document order: a container before its members. */
    static int compare(Place a, Place b) {
        if (a.depth > b.depth) {
            int order = compare(a.parent, b);
            return order != 0 ? order : 1;
        }
        if (a.depth < b.depth) {
            return -compare(b, a);
        }
        if (a.parent == null) {
            return 0;
        }
        int order = compare(a.parent, b.parent);
        return order != 0 ? order : Integer.compare(a.ordinal, b.ordinal);
    }
}

/** A departure from rule C1 to C15. Those of one rule at one place stand in the order of the table of codes. */
record Finding(int rule, String code, Place place) {

    /** verdicts.finding: so many of one rule are listed. */
    static final int LISTED = 1000;

    /** In document order; at one place by the number of the rule. */
    static List<Finding> listed(List<Finding> findings) {
        List<Finding> sorted = new ArrayList<>(findings);
        sorted.sort(Comparator.comparing(Finding::place, Place::compare).thenComparingInt(Finding::rule));
        Map<Integer, Integer> counts = new HashMap<>();
        sorted.removeIf(finding -> counts.merge(finding.rule(), 1, Integer::sum) > LISTED);
        return sorted;
    }
}

// ====================================================================================
// Envelope and contract: the shapes of schemas/*.json
// ====================================================================================

/** What a value has to be; it tells every place that departs. */
@FunctionalInterface
interface Shape {

    void check(Json value, Place place, Consumer<Place> departs);
}

/** The schemas as tables: envelope.shape and the documents that it refers to. */
final class Shapes {

    private static final int ALL = Integer.MAX_VALUE;

    static final Set<String> STATUSES = Set.of("succeeded", "abstained", "referred", "failed", "suspended");
    static final Set<String> MODES = Set.of("retrieval", "input_only", "none", "delegation", "brokered");

    private static final Pattern TIME = Pattern.compile(
        "([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.][0-9]{1,9})?"
            + "(?:Z|[+-]([0-9]{2}):([0-9]{2}))");
    /** contract_version; groups 1 and 2 are major and minor. */
    static final Pattern VERSION = Pattern.compile(
        "(0|[1-9][0-9]{0,5})[.](0|[1-9][0-9]{0,5})(?:[.](?:0|[1-9][0-9]{0,5}))?");

    private static final Shape ANY = (value, place, departs) -> { };
    private static final Shape TRUE = only(value -> value == Truth.TRUE);
    private static final Shape STRING = string(0, ALL);
    private static final Shape FILLED = string(1, ALL);
    private static final Shape NAME = string(1, 2000);
    private static final Shape DIGEST = pattern("[0-9a-f]{64}");
    private static final Shape WHEN = text(Shapes::isTime);
    private static final Shape COUNT = integer(0, Double.MAX_VALUE);
    private static final Shape STATUS = text(STATUSES::contains);
    private static final Shape INVOCATION =
        pattern("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");

    /** envelope.reference, schemas/grounding-reference.json. */
    static final Shape REFERENCE = closed("source_id! content_hash!", FILLED, DIGEST);

    /** evidence.item, schemas/evidence-item.json. */
    static final Shape EVIDENCE_ITEM = closed(
        "source_id! hash_algorithm! canonicalisation! content_hash! content snapshot_ref source_uri retrieved_at",
        FILLED, text("sha256"::equals), STRING, DIGEST, ANY, FILLED, STRING, STRING);

    /** envelope.delegation, schemas/delegation.json. */
    static final Shape DELEGATION = closed(
        "delegated_invocation_id! delegated_agent_id! delegated_agent_version! delegated_status! content_hash! "
            + "canonicalisation",
        INVOCATION, NAME, NAME, STATUS, DIGEST, NAME);

    /** envelope.retrieval-record, schemas/retrieval-record.json: a hash where the status is ok, and only there. */
    static final Shape RECORD = found(record("content_hash!"), record("content_hash-"));

    /** schemas/envelope.json, acting-for. */
    private static final Shape PRINCIPAL = open(
        "principal_id! name! principal_kind! assurance!", NAME, NAME, NAME, NAME);

    private static final Shape OUTCOME = open(
        "status! statement! reason_code referred_to", STATUS, STRING, NAME, NAME);

    private static final Shape PAYLOAD = open("schema_class grounded_on", NAME, list(REFERENCE));

    private static final Shape PROBLEM = open(
        "type! title http_status detail instance resume_condition resume_after",
        NAME, STRING, integer(100, 599), STRING, STRING, STRING, WHEN);

    private static final Shape TELEMETRY = open(
        "trace_id model_id input_tokens output_tokens", pattern("[0-9a-f]{32}"), STRING, COUNT, COUNT);

    /** envelope.shape, schemas/envelope.json. */
    static final Shape ENVELOPE = open(
        "invocation_id! agent_id! agent_version! completed_at! grounding_mode! outcome! payload evidence problem "
            + "telemetry requires_human_review! conversation_id parent_invocation_id delegations retrievals "
            + "policy_bundle_ref policy_digest acting_for contract_version input_schema payload_schema",
        INVOCATION, NAME, NAME, WHEN, text(MODES::contains), OUTCOME, PAYLOAD, list(EVIDENCE_ITEM), PROBLEM,
        TELEMETRY, TRUE, NAME, INVOCATION, list(DELEGATION), list(RECORD),
        pattern("profile:[A-Za-z0-9._-]{1,100}@v[0-9]{1,9}"), DIGEST, PRINCIPAL,
        text(text -> VERSION.matcher(text).matches()), NAME, NAME);

    private Shapes() {
    }

    static boolean fits(Shape shape, Json value) {
        List<Place> departures = new ArrayList<>();
        shape.check(value, Place.ROOT, departures::add);
        return departures.isEmpty();
    }

    private static Shape record(String hash) {
        return closed("span_id! status! source_id! snapshot_ref! canonicalisation! started_at! ended_at! " + hash,
            pattern("[0-9a-f]{16}"), text(Set.of("ok", "not-found", "error")::contains), FILLED, FILLED, FILLED,
            WHEN, WHEN, DIGEST);
    }

    private static Shape found(Shape ok, Shape otherwise) {
        return (value, place, departs) -> {
            boolean isOk = value instanceof Members members && "ok".equals(members.text("status"));
            (isOk ? ok : otherwise).check(value, place, departs);
        };
    }

    private static Shape only(Predicate<Json> allowed) {
        return (value, place, departs) -> {
            if (!allowed.test(value)) {
                departs.accept(place);
            }
        };
    }

    private static Shape text(Predicate<String> allowed) {
        return only(value -> value instanceof Text text && allowed.test(text.value()));
    }

    private static Shape pattern(String pattern) {
        Pattern compiled = Pattern.compile(pattern);
        return text(text -> compiled.matcher(text).matches());
    }

    /** A length in Unicode code points, as JSON Schema counts it. */
    private static Shape string(int least, int most) {
        return text(text -> text.length() >= least
            && (text.length() <= most || text.codePointCount(0, text.length()) <= most));
    }

    /** JSON Schema: a number without a fraction is an integer, whatever its spelling. */
    private static Shape integer(double least, double most) {
        return only(value -> {
            if (value instanceof Whole whole) {
                double number = Double.parseDouble(whole.digits());
                return number >= least && (number <= most || most == Double.MAX_VALUE);
            }
            return value instanceof Real real && real.value() == Math.rint(real.value())
                && real.value() >= least && real.value() <= most;
        });
    }

    private static Shape list(Shape item) {
        return (value, place, departs) -> {
            if (!(value instanceof Items items)) {
                departs.accept(place);
                return;
            }
            int index = 0;
            for (Json each : items.values()) {
                item.check(each, place.item(index++), departs);
            }
        };
    }

    /**
     * An object of these members and no others: those with an exclamation mark are required, those with
     * a minus sign are looked at and not allowed.
     */
    private static Shape closed(String names, Shape... shapes) {
        return members(true, names, shapes);
    }

    /** An object with these members, and any others. */
    private static Shape open(String names, Shape... shapes) {
        return members(false, names, shapes);
    }

    private static Shape members(boolean closed, String names, Shape... shapes) {
        Map<String, Shape> table = new HashMap<>();
        Set<String> required = new HashSet<>();
        Set<String> allowed = new HashSet<>();
        String[] each = names.split(" ");
        for (int i = 0; i < each.length; i++) {
            String name = each[i].replaceAll("[!-]", "");
            table.put(name, shapes[i]);
            if (each[i].endsWith("!")) {
                required.add(name);
            }
            if (!each[i].endsWith("-")) {
                allowed.add(name);
            }
        }
        Predicate<Set<String>> complete = has -> has.containsAll(required) && (!closed || allowed.containsAll(has));
        return (value, place, departs) -> object(value, place, departs, complete, table);
    }

    /** What an object lacks, or has too much, is one departure of the object (contract.schema). */
    private static void object(Json value, Place place, Consumer<Place> departs,
                               Predicate<Set<String>> complete, Map<String, Shape> table) {
        if (!(value instanceof Members members)) {
            departs.accept(place);
            return;
        }
        if (!complete.test(members.values().keySet())) {
            departs.accept(place);
        }
        int position = 0;
        for (Map.Entry<String, Json> member : members.values().entrySet()) {
            Shape shape = table.get(member.getKey());
            if (shape != null) {
                shape.check(member.getValue(), place.member(member.getKey(), position), departs);
            }
            position++;
        }
    }

    /** RFC 3339 with the format asserted: days that exist, no second 60, offsets below 24 hours. */
    private static boolean isTime(String text) {
        Matcher match = TIME.matcher(text);
        return match.matches() && isDay(number(match, 1), number(match, 2), number(match, 3))
            && number(match, 4) < 24 && number(match, 5) < 60 && number(match, 6) < 60
            && number(match, 7) < 24 && number(match, 8) < 60;
    }

    private static boolean isDay(int year, int month, int day) {
        if (year < 1 || month < 1 || month > 12 || day < 1) {
            return false;
        }
        boolean leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        int days = month == 2 ? leap ? 29 : 28 : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
        return day <= days;
    }

    private static int number(Matcher match, int group) {
        String digits = match.group(group);
        return digits == null ? 0 : Integer.parseInt(digits);
    }
}

// ====================================================================================
// Envelope and contract: the rules C1 to C15
// ====================================================================================

/** What the contract says of one envelope. */
record ContractVerdict(List<Finding> findings, Set<String> notes) {

    /** The depth from which a protobuf Struct does not carry an envelope. */
    private static final int STRUCT = 32;

    static ContractVerdict of(Json value) {
        Set<String> notes = new TreeSet<>();
        if (!(value instanceof Members envelope)) {
            return new ContractVerdict(List.of(new Finding(1, "c1.schema", Place.ROOT)), notes);
        }
        if (depth(value) > STRUCT) {
            notes.add("note.struct-depth");
        }
        return new ContractVerdict(new Contract(envelope).judged(), notes);
    }

    private static int depth(Json value) {
        Collection<Json> inside = value instanceof Items items ? items.values()
            : value instanceof Members members ? members.values().values() : null;
        if (inside == null) {
            return 0;
        }
        int most = 0;
        for (Json each : inside) {
            most = Math.max(most, depth(each));
        }
        return most + 1;
    }
}

/**
 * The rules on one envelope. A member that is absent is known to be; one that has another type is left
 * to C1, and so is a list, an item or a record of another type that a rule would have to read.
 */
final class Contract {

    private static final String DEFAULT_NAME = "dd-envelope-json-v1";

    private final Members envelope;
    private final List<Finding> findings = new ArrayList<>();
    private final String status;
    private final String mode;

    Contract(Members envelope) {
        this.envelope = envelope;
        this.status = known(outcome() == null ? null : outcome().text("status"), Shapes.STATUSES);
        this.mode = known(envelope.text("grounding_mode"), Shapes.MODES);
    }

    List<Finding> judged() {
        Shapes.ENVELOPE.check(envelope, Place.ROOT, place -> add(1, "schema", place));
        if (status != null) {
            outcomes();
        }
        payloadShape();
        names();
        versions();
        if ("succeeded".equals(status) && mode != null) {
            success();
        }
        return findings;
    }

    private static String known(String word, Set<String> words) {
        return word != null && words.contains(word) ? word : null;
    }

    private Members outcome() {
        return envelope.get("outcome") instanceof Members members ? members : null;
    }

    private void add(int rule, String code, Place place) {
        findings.add(new Finding(rule, "c" + rule + "." + code, place));
    }

    private Place at(String name) {
        return Place.ROOT.member(envelope, name);
    }

    private boolean isStatus(String... words) {
        return Arrays.asList(words).contains(status);
    }

    private boolean isMode(String... words) {
        return Arrays.asList(words).contains(mode);
    }

    /** C2 to C7. */
    private void outcomes() {
        boolean broken = isStatus("failed", "suspended");
        if (broken && !envelope.has("problem")) {
            add(2, "problem-missing", Place.ROOT);
        }
        if (isStatus("abstained", "referred") && !outcome().has("reason_code")) {
            add(3, "reason-missing", at("outcome"));
        }
        if (isStatus("referred") && !outcome().has("referred_to")) {
            add(4, "referral-missing", at("outcome"));
        }
        if (isStatus("succeeded") && !envelope.has("payload")) {
            add(5, "payload-missing", Place.ROOT);
        }
        if (!isStatus("succeeded") && envelope.has("payload")) {
            add(6, "payload-present", at("payload"));
        }
        if (!broken && envelope.has("problem")) {
            add(7, "problem-present", at("problem"));
        }
    }

    /** C8. */
    private void payloadShape() {
        if (!(envelope.get("payload") instanceof Members payload)) {
            return;
        }
        if (!payload.has("schema_class")) {
            add(8, "schema-class-missing", at("payload"));
        }
        if (!payload.has("grounded_on")) {
            add(8, "grounded-on-missing", at("payload"));
        }
    }

    /** C9. */
    private void names() {
        eachItem((item, place) -> {
            String name = item.text("canonicalisation");
            if (name != null && Name.of(name) == null) {
                add(9, "unregistered", place.member(item, "canonicalisation"));
            }
        });
    }

    /** C14. */
    private void versions() {
        String version = envelope.text("contract_version");
        Matcher match = version == null ? null : Shapes.VERSION.matcher(version);
        if (match == null || !match.matches()) {
            return;
        }
        int major = Integer.parseInt(match.group(1));
        int minor = Integer.parseInt(match.group(2));
        if ((major > 0 || minor >= 6) && envelope.has("payload") != envelope.has("payload_schema")) {
            add(14, "unpaired", Place.ROOT);
        }
    }

    private void success() {
        if (isMode("retrieval", "brokered")) {
            restsOnSomething();
        }
        if (isMode("brokered")) {
            brokered();
        }
        String id = envelope.text("invocation_id");
        if (isMode("input_only", "none", "delegation") && id != null) {
            inputs("input:" + id);
        }
    }

    /** C10. */
    private void restsOnSomething() {
        Json payload = envelope.get("payload");
        if (payload == null) {
            add(10, "grounded-on-empty", Place.ROOT);
        } else if (payload instanceof Members members) {
            Json list = members.get("grounded_on");
            if (list == null) {
                add(10, "grounded-on-empty", at("payload"));
            } else if (list instanceof Items items && items.values().isEmpty()) {
                add(10, "grounded-on-empty", at("payload").member(members, "grounded_on"));
            }
        }
    }

    /** C11, and C12 or C13 on every other item. */
    private void inputs(String input) {
        boolean[] cited = {false};
        Predicate<Members> other = isMode("delegation") ? delegated() : item -> false;
        eachItem((item, place) -> {
            if (!hasTexts(item, "source_id", "canonicalisation")) {
                return;
            }
            if (item.text("source_id").equals(input) && Name.isForInputs(item.text("canonicalisation"))) {
                cited[0] = true;
            } else if (!other.test(item)) {
                add(isMode("delegation") ? 13 : 12, isMode("delegation") ? "not-delegated" : "other-evidence", place);
            }
        });
        if (!cited[0] && isListOrAbsent("evidence")) {
            add(11, "input-not-cited", envelope.has("evidence") ? at("evidence") : Place.ROOT);
        }
    }

    /** C13: what is a recorded delegation, or cannot be told from one. */
    private Predicate<Members> delegated() {
        if (!isListOrAbsent("delegations")) {
            return item -> true;
        }
        Set<String> recorded = keys("delegations", Contract::delegation);
        return item -> !hasTexts(item, "content_hash")
            || recorded.contains(key(item, "source_id", "content_hash", "canonicalisation"));
    }

    /** What cites this record, or null where it is C1's alone. */
    private static String delegation(Members record) {
        if (!hasTexts(record, "delegated_invocation_id", "content_hash")) {
            return null;
        }
        String name = record.has("canonicalisation") ? record.text("canonicalisation") : DEFAULT_NAME;
        return name == null ? null
            : key("invocation:" + record.text("delegated_invocation_id"), record.text("content_hash"), name);
    }

    /** C15. */
    private void brokered() {
        if (!isListOrAbsent("retrievals")) {
            return;
        }
        String[] members = {"source_id", "content_hash", "canonicalisation", "snapshot_ref"};
        Set<String> recorded = keys("retrievals", record ->
            "ok".equals(record.text("status")) && hasTexts(record, members) ? key(record, members) : null);
        eachItem((item, place) -> {
            boolean readable = hasTexts(item, "source_id", "content_hash", "canonicalisation")
                && (!item.has("snapshot_ref") || hasTexts(item, "snapshot_ref"));
            if (readable && !recorded.contains(key(item, members))) {
                add(15, "not-recorded", place);
            }
        });
    }

    // Lists of the envelope

    @FunctionalInterface
    private interface ItemRule {
        void look(Members item, Place place);
    }

    private void eachItem(ItemRule rule) {
        if (!(envelope.get("evidence") instanceof Items items)) {
            return;
        }
        Place list = at("evidence");
        int index = 0;
        for (Json item : items.values()) {
            if (item instanceof Members members) {
                rule.look(members, list.item(index));
            }
            index++;
        }
    }

    private Set<String> keys(String list, Function<Members, String> key) {
        Set<String> keys = new HashSet<>();
        if (envelope.get(list) instanceof Items items) {
            for (Json item : items.values()) {
                keys.add(item instanceof Members members ? key.apply(members) : null);
            }
        }
        keys.remove(null);
        return keys;
    }

    private boolean isListOrAbsent(String name) {
        return !envelope.has(name) || envelope.get(name) instanceof Items;
    }

    private static boolean hasTexts(Members object, String... names) {
        return Arrays.stream(names).allMatch(name -> object.text(name) != null);
    }

    private static String key(Members object, String... names) {
        return key(Arrays.stream(names).map(object::text).toArray(String[]::new));
    }

    /** One text for several, each behind its length: a set of strings stays fast whatever their hashes. */
    private static String key(String... texts) {
        StringBuilder key = new StringBuilder();
        for (String text : texts) {
            key.append(text == null ? "-" : text.length() + ":" + text);
        }
        return key.toString();
    }
}

// ====================================================================================
// Conformance: the adapter protocol
// ====================================================================================

/** A message that does not keep to the protocol. */
final class Misuse extends Exception {

    private static final long serialVersionUID = 1L;

    Misuse(String detail) {
        super(detail, null, false, false);
    }
}

/** Answers messages, one a line. */
final class Protocol {

    private static final List<String> KINDS = List.of("parse", "canonicalise", "evidence", "contract");

    private final InputStream in;
    private final OutputStream out;
    private final byte[] chunk = new byte[1 << 16];
    private int filled;
    private int used;

    Protocol(InputStream in, OutputStream out) {
        this.in = in;
        this.out = out;
    }

    void serve() throws IOException {
        for (byte[] line = line(); line != null; line = line()) {
            byte[] answer = answer(line);
            if (answer == null) {
                break;
            }
            out.write(answer);
            out.write('\n');
            out.flush();
        }
        out.flush();
    }

    /** A line of any length without its line feed, or null at the end. */
    private byte[] line() throws IOException {
        Octets line = new Octets();
        boolean any = false;
        while (true) {
            if (used == filled) {
                filled = in.read(chunk);
                used = 0;
                if (filled <= 0) {
                    filled = 0;
                    return any ? line.taken() : null;
                }
            }
            any = true;
            int end = used;
            while (end < filled && chunk[end] != '\n') {
                end++;
            }
            line.all(chunk, used, end - used);
            used = Math.min(end + 1, filled);
            if (end < filled) {
                return line.taken();
            }
        }
    }

    /** The answer to one message, or null to end. No error of the runtime leaves this (json.total). */
    private static byte[] answer(byte[] line) {
        Json seq = null;
        try {
            if (!(read(line) instanceof Members message)) {
                throw new Misuse("a message is one JSON object");
            }
            seq = message.get("seq");
            Json answer = dispatched(message);
            return answer == null ? null : Writer.pyjson(answer);
        } catch (Misuse e) {
            return error(seq, "protocol", e.getMessage());
        } catch (OutOfMemoryError | RuntimeException e) {
            return error(seq, "internal", e.getClass().getName());
        }
    }

    private static Json read(byte[] line) throws Misuse {
        try {
            return Reader.read(line, Integer.MAX_VALUE);
        } catch (Refusal e) {
            throw new Misuse("a message is one strict JSON text: " + e.code);
        }
    }

    private static Json dispatched(Members message) throws Misuse {
        String op = message.text("op");
        if ("bye".equals(op)) {
            return null;
        }
        if ("hello".equals(op)) {
            return hello(message);
        }
        if ("case".equals(op)) {
            return posed(message);
        }
        throw new Misuse("op is hello, case or bye");
    }

    private static Json hello(Members message) throws Misuse {
        if (!(message.get("protocol") instanceof Whole whole) || !whole.digits().equals("1")) {
            throw new Misuse("the protocol spoken here is 1");
        }
        Json self = object("name", new Text("groundrules-java"), "version", new Text("1.0.0"),
            "language", new Text("Java"), "url", new Text("https://w3id.org/groundrules/"));
        return object("protocol", whole, "implementation", self, "kinds", texts(KINDS), "features", Items.EMPTY);
    }

    private static Json posed(Members message) throws Misuse {
        Json seq = message.get("seq");
        String kind = message.text("kind");
        if (!(seq instanceof Whole) || kind == null || !(message.get("input") instanceof Members input)) {
            throw new Misuse("a case has seq, kind and input");
        }
        if (!KINDS.contains(kind)) {
            return object("seq", seq, "skipped", new Text("this adapter does not answer cases of this kind"));
        }
        Map<String, Json> answer = new LinkedHashMap<>();
        answer.put("seq", seq);
        answer.putAll(judged(kind, input).values());
        return new Members(answer);
    }

    private static Members judged(String kind, Members input) throws Misuse {
        try {
            return answered(kind, input);
        } catch (Refusal e) {
            return object("verdict", new Text("fail"), "stage", new Text(e.stage), "codes", texts(List.of(e.code)));
        }
    }

    private static Members answered(String kind, Members input) throws Misuse, Refusal {
        return switch (kind) {
            case "parse" -> parsed(octets(input, "document"));
            case "canonicalise" -> canonicalised(octets(input, "document"), octets(input, "name"));
            case "evidence" -> evidence(EvidenceVerdict.of(Reader.read(octets(input, "envelope"))));
            default -> contract(ContractVerdict.of(Reader.read(octets(input, "envelope"))));
        };
    }

    private static Members parsed(byte[] document) throws Refusal {
        Reader.read(document);
        return object("verdict", new Text("pass"));
    }

    /** A document is read before its name is looked up: the stage parse comes before project. */
    private static Members canonicalised(byte[] document, byte[] octets) throws Refusal {
        Json value = Reader.read(document);
        Name name = Name.of(new String(octets, StandardCharsets.ISO_8859_1));
        if (name == null) {
            throw Projection.refusal("canon.unknown-name");
        }
        Json projected = name.projection.of(value);
        byte[] canonical = Writer.write(projected, name.form);
        Json parsed = base64(Writer.pyjson(value));
        Json covered = projected == value ? parsed : base64(Writer.pyjson(projected));
        return object("verdict", new Text("pass"), "canonical_b64", base64(canonical),
            "digest", new Text(Name.sha256(canonical)),
            "stages", object("parsed_b64", parsed, "projected_b64", covered));
    }

    private static Members evidence(EvidenceVerdict verdict) {
        List<Json> items = new ArrayList<>();
        for (ItemVerdict item : verdict.items()) {
            items.add(object("source_id", new Text(item.sourceId()), "verdict", new Text(item.verdict()),
                "codes", texts(item.codes()), "notes", texts(item.notes())));
        }
        return object("verdict", new Text(verdict.verdict()), "codes", texts(verdict.codes()),
            "items", new Items(items));
    }

    private static Members contract(ContractVerdict verdict) {
        Set<String> codes = new TreeSet<>();
        verdict.findings().forEach(finding -> codes.add(finding.code()));
        List<Json> listed = new ArrayList<>();
        for (Finding finding : Finding.listed(verdict.findings())) {
            listed.add(object("code", new Text(finding.code()), "pointer", new Text(finding.place().pointer())));
        }
        return object("verdict", new Text(codes.isEmpty() ? "pass" : "fail"), "codes", texts(codes),
            "notes", texts(verdict.notes()), "findings", new Items(listed));
    }

    private static byte[] error(Json seq, String code, String detail) {
        Members error = object("code", new Text(code), "detail", new Text(detail));
        return Writer.pyjson(seq == null ? object("error", error) : object("seq", seq, "error", error));
    }

    private static byte[] octets(Members input, String name) throws Misuse {
        String text = input.text(name);
        if (text == null) {
            throw new Misuse("a case of this kind has the input " + name);
        }
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new Misuse("the input " + name + " is not base64");
        }
    }

    private static Text base64(byte[] octets) {
        return new Text(Base64.getEncoder().encodeToString(octets));
    }

    private static Items texts(Collection<String> texts) {
        List<Json> items = new ArrayList<>();
        texts.forEach(text -> items.add(new Text(text)));
        return new Items(items);
    }

    private static Members object(Object... namesAndValues) {
        Map<String, Json> values = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            values.put((String) namesAndValues[i], (Json) namesAndValues[i + 1]);
        }
        return new Members(values);
    }
}

// ====================================================================================
// Trace and runs: one run in mode none
// ====================================================================================

/**
 * A conductor and an agent that proves touches of change ringing: no row may stand twice. It calls no
 * model, so the mode is none, and all that it cites is its input, hashed under jcs-input-v1.
 */
final class Run {

    private static final String FOLDER = "java-plain-hunt";
    private static final String ID = "019cebab-893c-7b1e-9d42-6f0a51c7e833";
    private static final String TRACE = "5d0c7a1f93be4826a0f4c2d18e6b7359";
    private static final String ROOT = "a41c09d27be6f385";

    /**
     * The input, copied as it stands into request and envelope. Names on both sides of the surrogates,
     * names that look like indices, one number in many spellings, accents in two forms.
     */
    private static final String INPUT = """
        {
            "schema_class": "bells:Touch",
            "title": "Plain hunt on five, rung at Saint-\u00c9tienne and again at Saint-E\u0301tienne",
            "rows": [[1,2,3,4,5], [2,1,4,3,5], [2,4,1,5,3], [4,2,5,1,3], [4,5,2,3,1], [5,4,3,2,1],
                     [5,3,4,1,2], [3,5,1,4,2], [3,1,5,2,4], [1,3,2,5,4], [1, 2.0, 3e0, 0.4e1, 50E-1]],
            "calls": [[], [[]], [null, [null, ["bob", ["single", []]]]], {}],
            "bells": {
                "10": null, "9": "absent", "2": "E\u266d", "1": "treble", "01": "the other treble",
                "-1": false, "1e0": "a name, no number", "": "unnamed"
            },
            "signs": {
                "\ufb01": "a ligature", "\ue000": "handstroke, in a font of the tower's own",
                "\ud83d\udd14": "backstroke", "\ud834\udd1e": "clef", "\uffed": "rest", "\ud7ff": "last before",
                "\\ud83d\\udd15": "stand", "z": "zeal"
            },
            "ringers": {"Ren\u00e9": 1, "Rene\u0301": 2, "rene": 3, "Ren": {"\u00e9": [], "e\u0301": []}},
            "__proto__": {"rows": "no prototype", "toString": null},
            "constructor": {"prototype": {"true": true}},
            "strike": {
                "ones": [1, 1.0, 1e0, 10e-1, 0.1e1, 1E+0, 1.000000000000000000001],
                "zeros": [0, -0, 0.0, -0.0, 0e9, -0e-9, 1e-400],
                "small": [1e-7, 0.00001, 0.000001, 1.5e-7, 9.5367431640625e-7, 5e-324, 2.2250738585072014e-308],
                "large": [9007199254740991, -9007199254740991, 9007199254740990.0, 1e15, 1125899906842624.25,
                          9007199254740991.4, 123456789012345680e-2],
                "tenths": [0.1, 0.2, 0.30000000000000004, 3e-1, 4.35, 5.684341886080802e-14],
                "as_text": ["1e16", "9007199254740993", "NaN"]
            },
            "remark": "<b>stand</b> & <script>/*\u2028*\u2029*\u0085*\u007f*/<\\/script>\
         \\u003c&amp;> \\"\\\\\\b\\f\\t\\u001f",
            "tags": ["\u00fc", "u\u0308", "\u212b", "\u00c5", "A\u030a", "\ufdfb", "\ufb2a", "\u1e9e"]
        }""";

    private static final String REQUEST = """
        {
            "format": "request/1",
            "invocation_id": "@id@",
            "agent_id": "touch-prover",
            "agent_version": "1.4.0",
            "conversation_id": "practice-2026-03-14",
            "requested_at": "2026-03-14T09:26:53.5Z",
            "input": @input@
        }
        """;

    private static final String ENVELOPE = """
        {
            "invocation_id": "@id@",
            "agent_id": "touch-prover",
            "agent_version": "1.4.0",
            "conversation_id": "practice-2026-03-14",
            "completed_at": "2026-03-14T09:26:53.541000250+00:00",
            "grounding_mode": "none",
            "outcome": {"status": "succeeded", "statement": "@statement@"},
            "payload": {
                "schema_class": "bells:Proof",
                "true": @true@,
                "changes": @changes@,
                "findings": [
                    {
                        "text": "@statement@",
                        "grounded_on": [@reference@]
                    }
                ],
                "grounded_on": [@reference@]
            },
            "evidence": [
                {
                    "source_id": "input:@id@",
                    "hash_algorithm": "sha256",
                    "canonicalisation": "jcs-input-v1",
                    "content_hash": "@hash@",
                    "content": @input@
                }
            ],
            "telemetry": {"trace_id": "@trace@", "input_tokens": 0, "output_tokens": 0},
            "requires_human_review": true
        }
        """;

    private static final String REFERENCE = """
        {"source_id": "input:@id@", "content_hash": "@hash@"}""";

    private static final String MESSAGE = """
        {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"@service@"}}]},\
        "scopeSpans":[{"scope":{"name":"groundrules-java"},"spans":[@spans@]}]}]}
        """;

    private static final String SPAN = """
        {"traceId":"@trace@","spanId":"@span@","parentSpanId":"@parent@","name":"@name@","kind":1,\
        "startTimeUnixNano":"@start@","endTimeUnixNano":"@end@","attributes":[@attributes@],"status":{"code":1}}""";

    private Run() {
    }

    /** runs.layout, without the verdicts: request.json, spans.jsonl, envelope.json. */
    static void write(Path folder) throws IOException {
        Path run = Files.createDirectories(folder.resolve(FOLDER));
        Members input = input();
        String hash = hash(input);
        put(run.resolve("request.json"), filled(REQUEST, "input", INPUT, "id", ID));
        put(run.resolve("spans.jsonl"), conductor(hash) + agent(input));
        put(run.resolve("envelope.json"), envelope(input, hash));
    }

    private static Members input() {
        try {
            return (Members) Reader.read(INPUT.getBytes(StandardCharsets.UTF_8));
        } catch (Refusal e) {
            throw new IllegalStateException(e);
        }
    }

    private static String hash(Json input) {
        try {
            return Name.JCS_INPUT.digest(input);
        } catch (Refusal e) {
            throw new IllegalStateException(e);
        }
    }

    // The agent's work

    /** The rows as they are rung; 2.0 and 2 are one bell. */
    private static List<String> rows(Members input) {
        List<String> rows = new ArrayList<>();
        for (Json row : ((Items) input.get("rows")).values()) {
            rows.add(new String(octets(row), StandardCharsets.UTF_8));
        }
        return rows;
    }

    private static byte[] octets(Json row) {
        try {
            return Writer.write(row, Form.JCS_SAFE);
        } catch (Refusal e) {
            throw new IllegalStateException(e);
        }
    }

    /** A touch is true when it comes back to its first row and none before that stands twice. */
    private static boolean isTrue(List<String> rows) {
        List<String> rung = rows.subList(0, rows.size() - 1);
        return new HashSet<>(rung).size() == rung.size() && rows.get(rows.size() - 1).equals(rows.get(0));
    }

    private static String envelope(Members input, String hash) {
        List<String> rows = rows(input);
        int changes = rows.size() - 1;
        String statement = isTrue(rows)
            ? "The touch of " + changes + " changes is true: rounds come back and no row stands twice before."
            : "The touch of " + changes + " changes is false.";
        return filled(ENVELOPE, "input", INPUT, "reference", REFERENCE, "statement", statement,
            "true", Boolean.toString(isTrue(rows)), "changes", Integer.toString(changes),
            "hash", hash, "trace", TRACE, "id", ID);
    }

    // The trace (trace.forms, trace.owned)

    private static String conductor(String hash) {
        String attributes = String.join(",",
            attribute("dd.grounding_mode", "none"), attribute("dd.input_hash", hash),
            attribute("dd.input_canonicalisation", "jcs-input-v1"), attribute("dd.outcome", "succeeded"),
            attribute("dd.invocation_id", ID), attribute("dd.agent_id", "touch-prover"),
            attribute("dd.agent_version", "1.4.0"));
        return message("tower-conductor", span("invoke_agent", ROOT, "", 0, 41_000_250L, attributes));
    }

    private static String agent(Members input) {
        String rows = "{\"key\":\"bells.rows\",\"value\":{\"intValue\":\"" + rows(input).size() + "\"}}";
        return message("touch-prover",
            span("read_touch", "1f7e60b3c9d4a258", ROOT, 2_000_000L, 11_500_000L, rows) + ","
                + span("prove_touch", "c35b8e014fd7a962", ROOT, 11_500_001L, 39_999_999L, rows));
    }

    private static String message(String service, String spans) {
        return filled(MESSAGE, "spans", spans, "service", service);
    }

    /** Times are nanoseconds after the start of the run. */
    private static String span(String name, String id, String parent, long start, long end, String attributes) {
        long zero = 1_773_480_413_500_000_000L;
        return filled(SPAN, "attributes", attributes, "name", name, "span", id, "parent", parent, "trace", TRACE,
            "start", Long.toString(zero + start), "end", Long.toString(zero + end));
    }

    private static String attribute(String key, String value) {
        return "{\"key\":\"" + key + "\",\"value\":{\"stringValue\":\"" + value + "\"}}";
    }

    // Files

    private static String filled(String template, String... namesAndValues) {
        String text = template;
        for (int i = 0; i < namesAndValues.length; i += 2) {
            text = text.replace("@" + namesAndValues[i] + "@", namesAndValues[i + 1]);
        }
        return text;
    }

    private static void put(Path file, String text) throws IOException {
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }
}
