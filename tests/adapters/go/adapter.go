// Command adapter is an implementation of groundrules in Go, written from the
// chapters under spec/, the schemas and the vectors alone. It answers cases by
// the adapter protocol on standard input and output, and writes one complete
// run with "adapter make-run OUTDIR".
//
// The parts follow the chapters: strict JSON, canonical JSON, evidence,
// schemas, contract, trace, grounding rules, source check, gate, verdicts,
// runs, the protocol, and the run that is written.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ---------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------

// value is what strict reading yields: nil, bool, string, integer, float64,
// []value or *object.
type value any

// integer is a number without fraction and exponent, with all its digits;
// "-0" is "0" (json.integers-kept).
type integer string

// object keeps its members in document order and finds them by name.
type object struct {
	names  []string
	values []value
	at     map[string]int
}

// indexed is the number of members from which an object is searched by a table.
const indexed = 8

// position returns the place of a name among the members, or -1.
func (o *object) position(name string) int {
	if o.at != nil {
		if i, ok := o.at[name]; ok {
			return i
		}
		return -1
	}
	for i, n := range o.names {
		if n == name {
			return i
		}
	}
	return -1
}

// get returns the member of a name; a nil object has none.
func (o *object) get(name string) (value, bool) {
	if o == nil {
		return nil, false
	}
	if i := o.position(name); i >= 0 {
		return o.values[i], true
	}
	return nil, false
}

// has says whether there is a member of that name, whatever its value.
func (o *object) has(name string) bool {
	_, ok := o.get(name)
	return ok
}

// text returns a member that is a string.
func (o *object) text(name string) (string, bool) {
	v, _ := o.get(name)
	s, ok := v.(string)
	return s, ok
}

// member returns a member that is an object, or nil.
func (o *object) member(name string) *object {
	v, _ := o.get(name)
	m, _ := v.(*object)
	return m
}

// list returns a member that is a list.
func (o *object) list(name string) ([]value, bool) {
	v, _ := o.get(name)
	l, ok := v.([]value)
	return l, ok
}

// add appends a member whose name is known to be new.
func (o *object) add(name string, v value) {
	o.names = append(o.names, name)
	o.values = append(o.values, v)
	if o.at != nil {
		o.at[name] = len(o.names) - 1
	} else if len(o.names) > indexed {
		o.at = make(map[string]int, 2*len(o.names))
		for i, n := range o.names {
			o.at[n] = i
		}
	}
}

// newObject builds an object of names and values in turn.
func newObject(members ...value) *object {
	o := &object{}
	for i := 0; i+1 < len(members); i += 2 {
		o.add(members[i].(string), members[i+1])
	}
	return o
}

// number makes an integer of a Go number.
func number(n int) integer { return integer(strconv.Itoa(n)) }

// texts makes a list of strings.
func texts(list []string) []value {
	out := make([]value, 0, len(list))
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

// sortedNames returns the members of a set in code point order.
func sortedNames(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for name := range set {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// depthOf counts the levels of nesting; a scalar has none.
func depthOf(v value) int {
	deepest := -1
	switch x := v.(type) {
	case []value:
		deepest = 0
		for _, e := range x {
			deepest = max(deepest, depthOf(e))
		}
	case *object:
		deepest = 0
		for _, e := range x.values {
			deepest = max(deepest, depthOf(e))
		}
	}
	return deepest + 1
}

// digitsOfIntegral writes a double without fraction as the integer it is.
func digitsOfIntegral(x float64) (integer, bool) {
	if x != math.Trunc(x) || math.IsInf(x, 0) || math.IsNaN(x) {
		return "", false
	}
	if x == 0 {
		return "0", true
	}
	return integer(strconv.FormatFloat(x, 'f', 0, 64)), true
}

// equalValues compares two values as JSON Schema does: numbers by what they
// are worth, objects without regard to order, and true is not 1.
func equalValues(a, b value) bool {
	switch x := a.(type) {
	case integer:
		if y, ok := b.(float64); ok {
			d, whole := digitsOfIntegral(y)
			return whole && d == x
		}
		return a == b
	case float64:
		if _, ok := b.(integer); ok {
			return equalValues(b, a)
		}
		y, ok := b.(float64)
		return ok && x == y
	case []value:
		y, ok := b.([]value)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equalValues(x[i], y[i]) {
				return false
			}
		}
		return true
	case *object:
		y, ok := b.(*object)
		if !ok || len(x.names) != len(y.names) {
			return false
		}
		for i, name := range x.names {
			v, there := y.get(name)
			if !there || !equalValues(x.values[i], v) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case []value, *object:
		return false
	}
	return a == b
}

// ---------------------------------------------------------------------------
// Places in a document
// ---------------------------------------------------------------------------

// step is one step into a document: a member, or an element where index >= 0.
type step struct {
	name  string
	index int
}

func nm(name string) step { return step{name, -1} }

func ix(index int) step { return step{"", index} }

// pointer writes a path as a JSON Pointer (RFC 6901).
func pointer(path []step) string {
	var b strings.Builder
	for _, s := range path {
		b.WriteByte('/')
		if s.index >= 0 {
			b.WriteString(strconv.Itoa(s.index))
		} else {
			b.WriteString(pointerEscapes.Replace(s.name))
		}
	}
	return b.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// documentOrder returns the positions on the way to a place, by which places
// are put in document order: a container before its members.
func documentOrder(root value, path []step) []int {
	key := make([]int, 0, len(path))
	for _, s := range path {
		switch x := root.(type) {
		case []value:
			key = append(key, s.index)
			if s.index < 0 || s.index >= len(x) {
				return key
			}
			root = x[s.index]
		case *object:
			i := x.position(s.name)
			key = append(key, i)
			if i < 0 {
				return key
			}
			root = x.values[i]
		default:
			return key
		}
	}
	return key
}

// before compares two document orders: -1, 0 or 1.
func before(a, b []int) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			if a[i] < b[i] {
				return -1
			}
			return 1
		}
	}
	return len(a) - len(b)
}

// ---------------------------------------------------------------------------
// Strict JSON (spec/strict-json.md)
// ---------------------------------------------------------------------------

// refusal is a document that is not read or has no canonical octets, with its
// stage and its code, and for canonical octets the place of the offence.
type refusal struct {
	stage, code string
	path        []step
}

func refuseAt(stage, code string, path ...step) *refusal {
	return &refusal{stage, code, append([]step{}, path...)}
}

const (
	levelLimit    = 64         // json.depth-limit
	numberLimit   = 1100       // json.number-limit
	documentLimit = 67_108_864 // json.document-limit
)

// decode looks at octets only (json.utf8, json.no-mark, json.document-limit),
// in the order that json.first-offence gives.
func decode(octets []byte, limit int) *refusal {
	starts := func(mark string) bool { return bytes.HasPrefix(octets, []byte(mark)) }
	switch {
	case len(octets) > limit:
		return refuseAt("decode", "read.document-too-large")
	case starts("\xfe\xff"), starts("\xff\xfe"), bytes.IndexByte(octets[:min(2, len(octets))], 0) >= 0:
		return refuseAt("decode", "read.other-encoding")
	case starts("\xef\xbb\xbf"):
		return refuseAt("decode", "read.byte-order-mark")
	case !utf8.Valid(octets):
		return refuseAt("decode", "read.invalid-utf8")
	}
	return nil
}

// read reads one strict JSON text.
func read(octets []byte) (value, *refusal) { return readWithin(octets, documentLimit) }

func readWithin(octets []byte, limit int) (value, *refusal) {
	if no := decode(octets, limit); no != nil {
		return nil, no
	}
	r := &reader{text: string(octets)}
	r.space()
	if r.at == len(r.text) {
		return nil, refuse("read.empty")
	}
	v, no := r.value(0)
	if no != nil {
		return nil, no
	}
	r.space()
	if r.at < len(r.text) {
		return nil, refuse("read.trailing-data") // json.one-value
	}
	return v, nil
}

func refuse(code string) *refusal { return refuseAt("parse", code) }

// reader reads by recursive descent; the recursion ends at the level limit.
type reader struct {
	text string
	at   int
}

func (r *reader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// peek returns the next octet, or 0 at the end. A zero octet in the text is an
// offence wherever the answer matters.
func (r *reader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *reader) ahead(word string) bool { return strings.HasPrefix(r.text[r.at:], word) }

var words = []struct {
	word string
	is   value
}{{"null", nil}, {"true", true}, {"false", false}}

// value reads one value inside so many levels (json.grammar, json.depth-limit).
func (r *reader) value(level int) (value, *refusal) {
	switch c := r.peek(); c {
	case '{', '[':
		if level == levelLimit {
			return nil, refuse("read.too-deep")
		}
		r.at++
		if c == '{' {
			return r.object(level + 1)
		}
		return r.array(level + 1)
	case '"':
		return r.string()
	}
	for _, w := range words {
		if r.ahead(w.word) {
			r.at += len(w.word)
			return w.is, nil
		}
	}
	if r.ahead("NaN") || r.ahead("Infinity") || r.ahead("-Infinity") {
		return nil, refuse("read.non-finite-token") // json.no-non-finite
	}
	return r.number()
}

// array reads what follows an opening bracket.
func (r *reader) array(level int) (value, *refusal) {
	list := []value{}
	r.space()
	if r.peek() == ']' {
		r.at++
		return list, nil
	}
	for {
		r.space()
		v, no := r.value(level)
		if no != nil {
			return nil, no
		}
		list = append(list, v)
		r.space()
		c := r.peek()
		r.at++
		if c == ']' {
			return list, nil
		}
		if c != ',' {
			return nil, refuse("read.syntax")
		}
	}
}

// object reads what follows an opening brace (json.unique-names).
func (r *reader) object(level int) (value, *refusal) {
	o := &object{}
	r.space()
	if r.peek() == '}' {
		r.at++
		return o, nil
	}
	for {
		r.space()
		if no := r.member(o, level); no != nil {
			return nil, no
		}
		r.space()
		c := r.peek()
		r.at++
		if c == '}' {
			return o, nil
		}
		if c != ',' {
			return nil, refuse("read.syntax")
		}
	}
}

// member reads a name, a colon and a value. A name that stands twice is told
// when it has been read, before what follows it.
func (r *reader) member(o *object, level int) *refusal {
	if r.peek() != '"' {
		return refuse("read.syntax")
	}
	name, no := r.string()
	if no != nil {
		return no
	}
	if o.position(name.(string)) >= 0 {
		return refuse("read.duplicate-name")
	}
	r.space()
	if r.peek() != ':' {
		return refuse("read.syntax")
	}
	r.at++
	r.space()
	v, no := r.value(level)
	if no != nil {
		return no
	}
	o.add(name.(string), v)
	return nil
}

// string reads a string from its opening quotation mark. Without an escape it
// is a part of the text, and nothing is copied.
func (r *reader) string() (value, *refusal) {
	r.at++
	start := r.at
	var built strings.Builder
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '"':
			part := r.text[start:r.at]
			r.at++
			if built.Len() == 0 {
				return part, nil
			}
			built.WriteString(part)
			return built.String(), nil
		case c < 0x20:
			return nil, refuse("read.syntax")
		case c == '\\':
			built.WriteString(r.text[start:r.at])
			c, no := r.escape()
			if no != nil {
				return nil, no
			}
			built.WriteRune(c)
			start = r.at
		default:
			r.at++
		}
	}
	return nil, refuse("read.syntax")
}

var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads an escape from its backslash (json.no-lone-surrogates).
func (r *reader) escape() (rune, *refusal) {
	if unit, ok := r.unit(); ok {
		r.at += 6
		if unit < 0xD800 || unit > 0xDFFF {
			return unit, nil
		}
		low, ok := r.unit()
		if unit > 0xDBFF || !ok || low < 0xDC00 || low > 0xDFFF {
			return 0, refuse("read.lone-surrogate")
		}
		r.at += 6
		return 0x10000 + (unit-0xD800)<<10 + (low - 0xDC00), nil
	}
	if r.at+1 < len(r.text) {
		if c, ok := escapes[r.text[r.at+1]]; ok {
			r.at += 2
			return c, nil
		}
	}
	return 0, refuse("read.syntax")
}

// unit looks for \uXXXX at the place where the reader stands.
func (r *reader) unit() (rune, bool) {
	if r.at+6 > len(r.text) || !r.ahead(`\u`) {
		return 0, false
	}
	var unit rune
	for _, c := range []byte(r.text[r.at+2 : r.at+6]) {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if d < 0 || c < '0' || c > 'f' {
			return 0, false
		}
		unit = unit<<4 | rune(d)
	}
	return unit, true
}

// number reads the longest run of number characters and holds it first to the
// grammar, then to its limit, then to the range of doubles (json.grammar,
// json.number-limit, json.no-overflow, json.integers-kept).
func (r *reader) number() (value, *refusal) {
	start := r.at
	for r.at < len(r.text) && strings.IndexByte("-+.0123456789eE", r.text[r.at]) >= 0 {
		r.at++
	}
	literal := r.text[start:r.at]
	whole, ok := numberGrammar(literal)
	switch {
	case !ok:
		return nil, refuse("read.syntax")
	case len(literal) > numberLimit:
		return nil, refuse("read.number-too-long")
	case whole && literal == "-0":
		return integer("0"), nil
	case whole:
		return integer(literal), nil
	}
	x, err := strconv.ParseFloat(literal, 64)
	if err != nil || math.IsInf(x, 0) {
		return nil, refuse("read.number-overflow")
	}
	return x, nil
}

// numberGrammar matches a whole literal against RFC 8259 and says whether it
// has neither fraction nor exponent.
func numberGrammar(s string) (whole, ok bool) {
	digits := func() bool {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n > 0
	}
	s = strings.TrimPrefix(s, "-")
	if strings.HasPrefix(s, "0") {
		s = s[1:]
	} else if !digits() {
		return false, false
	}
	whole = s == ""
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		if !digits() {
			return false, false
		}
	}
	if s != "" && s[0]|0x20 == 'e' {
		s = s[1:]
		if s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false, false
		}
	}
	return whole, s == ""
}

// lines splits JSON Lines at line feeds and nowhere else; the last one ends a
// line and begins none (json.lines).
func lines(octets []byte) [][]byte {
	if len(octets) == 0 {
		return nil
	}
	return bytes.Split(bytes.TrimSuffix(octets, []byte("\n")), []byte("\n"))
}

// ---------------------------------------------------------------------------
// Canonical JSON (spec/canonical-json.md)
// ---------------------------------------------------------------------------

// naming is what stands behind a registered name.
type naming struct {
	project func(value) (value, *refusal)
	members []string // of a projection that covers some members only
	safe    bool     // the form is jcs-safe
	input   bool     // for inputs
}

var recordMembers = []string{"fairsharing_id", "doi", "name", "abbreviation", "record_type", "status", "description", "subjects", "domains"}

var factMembers = []string{"source_id", "domain", "text", "citation", "citation_id", "published_date", "indexed_at", "authority"}

// registered is the table of names (canon.registered-names).
var registered = map[string]*naming{
	"json-sorted-utf8-v1": {project: projectRecord, members: recordMembers},
	"dd-input-json-v1":    {project: projectWhole, input: true},
	"dd-json-document-v1": {project: projectWhole},
	"dd-envelope-json-v1": {project: projectWhole},
	"jcs-input-v1":        {project: projectWhole, safe: true, input: true},
	"jcs-document-v1":     {project: projectWhole, safe: true},
	"jcs-envelope-v1":     {project: projectWhole, safe: true},
	"groundrules-fact-v1": {project: projectFact, members: factMembers, safe: true},
}

const (
	envelopeName = "dd-envelope-json-v1"
	inputName    = "dd-input-json-v1"
)

// isInputName says whether a name is one for inputs.
func isInputName(name string) bool {
	n := registered[name]
	return n != nil && n.input
}

// projectWhole is canon.whole-document.
func projectWhole(v value) (value, *refusal) { return v, nil }

// projectRecord is canon.record-members and canon.label-order.
func projectRecord(v value) (value, *refusal) {
	o, ok := v.(*object)
	if !ok {
		return nil, refuseAt("project", "canon.not-an-object")
	}
	out := &object{}
	for _, name := range recordMembers {
		member, _ := o.get(name)
		if list, ok := member.([]value); ok {
			labels := make([]string, 0, len(list))
			for i, e := range list {
				label, ok := labelText(e)
				if !ok {
					return nil, refuseAt("project", "canon.label-not-scalar", nm(name), ix(i))
				}
				labels = append(labels, label)
			}
			sort.Strings(labels)
			member = texts(labels)
		}
		out.add(name, member)
	}
	return out, nil
}

// labelText is canon.label-text; objects and arrays have none
// (canon.label-scalar).
func labelText(v value) (string, bool) {
	switch x := v.(type) {
	case nil:
		return "None", true
	case bool:
		if x {
			return "True", true
		}
		return "False", true
	case string:
		return x, true
	case integer:
		return string(x), true
	case float64:
		return pyFloat(x), true
	}
	return "", false
}

// projectFact is canon.fact-members.
func projectFact(v value) (value, *refusal) {
	o, ok := v.(*object)
	if !ok {
		return nil, refuseAt("project", "canon.not-an-object")
	}
	out := &object{}
	for _, name := range factMembers {
		s, ok := o.text(name)
		if !ok && o.has(name) {
			return nil, refuseAt("project", "canon.fact-member", nm(name))
		}
		if !ok {
			return nil, refuseAt("project", "canon.fact-member")
		}
		out.add(name, s)
	}
	return out, nil
}

// canonicalise projects a value under a name and writes the canonical octets.
func canonicalise(v value, name string) (octets []byte, projected value, no *refusal) {
	n := registered[name]
	if n == nil {
		return nil, nil, refuseAt("project", "canon.unknown-name")
	}
	projected, no = n.project(v)
	if no != nil {
		return nil, nil, no
	}
	w := &writer{safe: n.safe}
	w.value(projected)
	return w.out, projected, w.no
}

// digest is canon.digest.
func digest(octets []byte) string {
	sum := sha256.Sum256(octets)
	return hex.EncodeToString(sum[:])
}

// hashUnder returns the content hash of a value under a name.
func hashUnder(v value, name string) (string, *refusal) {
	octets, _, no := canonicalise(v, name)
	if no != nil {
		return "", no
	}
	return digest(octets), nil
}

// pyjson writes any value in the form pyjson.
func pyjson(v value) []byte {
	w := &writer{}
	w.value(v)
	return w.out
}

// writer writes either form. The first offence in canonical order is kept and
// nothing is written after it.
type writer struct {
	safe bool
	out  []byte
	path []step
	no   *refusal
}

// inside writes a value one step further in.
func (w *writer) inside(s step, v value) {
	w.path = append(w.path, s)
	w.value(v)
	w.path = w.path[:len(w.path)-1]
}

func (w *writer) value(v value) {
	if w.no != nil {
		return
	}
	switch x := v.(type) {
	case nil:
		w.out = append(w.out, "null"...)
	case bool:
		w.out = strconv.AppendBool(w.out, x)
	case string:
		w.string(x)
	case integer:
		w.integer(x)
	case float64:
		w.double(x)
	case []value:
		w.out = append(w.out, '[')
		for i, e := range x {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			w.inside(ix(i), e)
		}
		w.out = append(w.out, ']')
	case *object:
		w.object(x)
	}
}

// object writes members sorted by code point, which is the order of UTF-8
// (canon.py-order), or by UTF-16 unit (canon.jcs-order).
func (w *writer) object(o *object) {
	order := make([]int, len(o.names))
	for i := range order {
		order[i] = i
	}
	less := func(a, b string) bool { return a < b }
	if w.safe {
		less = lessUTF16
	}
	sort.Slice(order, func(i, j int) bool { return less(o.names[order[i]], o.names[order[j]]) })
	w.out = append(w.out, '{')
	for i, m := range order {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.string(o.names[m])
		w.out = append(w.out, ':')
		w.inside(nm(o.names[m]), o.values[m])
	}
	w.out = append(w.out, '}')
}

// lessUTF16 compares by UTF-16 code unit without encoding: only where a
// character above U+FFFF meets one from U+E000 to U+FFFF does the order of code
// points turn round.
func lessUTF16(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return len(a) < len(b)
	}
	for !utf8.RuneStart(a[i]) {
		i--
	}
	x, _ := utf8.DecodeRuneInString(a[i:])
	y, _ := utf8.DecodeRuneInString(b[i:])
	if x > 0xFFFF && y > 0xDFFF && y <= 0xFFFF {
		return true
	}
	if y > 0xFFFF && x > 0xDFFF && x <= 0xFFFF {
		return false
	}
	return x < y
}

const hexDigits = "0123456789abcdef"

var shortEscapes = map[byte]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// string is canon.py-escapes, canon.py-unicode and, under a jcs-safe name,
// canon.jcs-noncharacters.
func (w *writer) string(s string) {
	if w.no != nil {
		return
	}
	if w.safe && hasNoncharacter(s) {
		w.no = refuseAt("canonicalise", "canon.noncharacter", w.path...)
		return
	}
	w.out = append(w.out, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		w.out = append(w.out, s[start:i]...)
		start = i + 1
		if short, ok := shortEscapes[c]; ok {
			w.out = append(w.out, '\\', short)
		} else {
			w.out = append(w.out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	w.out = append(w.out, s[start:]...)
	w.out = append(w.out, '"')
}

func hasNoncharacter(s string) bool {
	for _, c := range s {
		if c >= 0xFDD0 && (c <= 0xFDEF || c&0xFFFE == 0xFFFE) {
			return true
		}
	}
	return false
}

// integer is canon.py-integers, and under a jcs-safe name canon.jcs-numbers.
func (w *writer) integer(n integer) {
	if !w.safe {
		w.out = append(w.out, n...)
		return
	}
	x, _ := strconv.ParseFloat(string(n), 64) // infinite where it is too long
	w.double(x)
}

// safeLimit is canon.jcs-range.
const safeLimit = 1<<53 - 1

// double is canon.py-floats, or canon.jcs-range and canon.jcs-numbers.
func (w *writer) double(x float64) {
	switch {
	case !w.safe:
		w.out = append(w.out, pyFloat(x)...)
	case math.Abs(x) > safeLimit:
		w.no = refuseAt("canonicalise", "canon.number-out-of-range", w.path...)
	default:
		w.out = append(w.out, esNumber(x)...)
	}
}

// shortest returns sign, digits and n of a finite double that is not zero: the
// value is 0.d1...dk times ten to the n.
func shortest(x float64) (sign, digits string, n int) {
	text := strconv.FormatFloat(x, 'e', -1, 64)
	if text[0] == '-' {
		sign, text = "-", text[1:]
	}
	mantissa, exponent, _ := strings.Cut(text, "e")
	e, _ := strconv.Atoi(exponent)
	return sign, strings.Replace(mantissa, ".", "", 1), e + 1
}

// pyFloat lays the shortest digits out as Python's repr does.
func pyFloat(x float64) string {
	if x == 0 {
		if math.Signbit(x) {
			return "-0.0"
		}
		return "0.0"
	}
	sign, d, n := shortest(x)
	switch {
	case n > 16 || n <= -4:
		return sign + scientific(d, n, 2)
	case n <= 0:
		return sign + "0." + strings.Repeat("0", -n) + d
	case n >= len(d):
		return sign + d + strings.Repeat("0", n-len(d)) + ".0"
	}
	return sign + d[:n] + "." + d[n:]
}

// esNumber lays them out as ECMAScript's Number::toString does.
func esNumber(x float64) string {
	if x == 0 {
		return "0"
	}
	sign, d, n := shortest(x)
	switch {
	case n > 21 || n <= -6:
		return sign + scientific(d, n, 1)
	case n <= 0:
		return sign + "0." + strings.Repeat("0", -n) + d
	case n >= len(d):
		return sign + d + strings.Repeat("0", n-len(d))
	}
	return sign + d[:n] + "." + d[n:]
}

// scientific writes d1, a point and the rest, e, a sign, and an exponent of at
// least so many digits.
func scientific(d string, n, width int) string {
	if len(d) > 1 {
		d = d[:1] + "." + d[1:]
	}
	sign, e := "+", n-1
	if e < 0 {
		sign, e = "-", -e
	}
	return fmt.Sprintf("%se%s%0*d", d, sign, width, e)
}

// ---------------------------------------------------------------------------
// Evidence (spec/canonical-json.md, section Evidence; rule E1)
// ---------------------------------------------------------------------------

// isDigest says whether a value is 64 lower-case hex digits.
func isDigest(v value) bool {
	s, ok := v.(string)
	if !ok || len(s) != 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(hexDigits, s[i]) < 0 {
			return false
		}
	}
	return true
}

// item is a well-formed evidence item.
type item struct {
	index    int
	members  *object
	id, hash string
	name     string // its canonicalisation
	snapshot string // empty where there is none
}

// pair is an id and a hash, by which everything is compared.
type pair struct{ id, hash string }

func (i *item) pair() pair { return pair{i.id, i.hash} }

func (i *item) content() (value, bool) { return i.members.get("content") }

// asItem is evidence.item.
func asItem(index int, v value) (*item, bool) {
	o, ok := v.(*object)
	if !ok {
		return nil, false
	}
	i := &item{index: index, members: o}
	hashed, named := false, false
	for m, name := range o.names {
		text, isText := o.values[m].(string)
		switch name {
		case "source_id":
			i.id, ok = text, text != ""
		case "hash_algorithm":
			hashed, ok = true, text == "sha256"
		case "canonicalisation":
			i.name, named, ok = text, true, isText
		case "content_hash":
			i.hash, ok = text, isDigest(text)
		case "snapshot_ref":
			i.snapshot, ok = text, text != ""
		case "source_uri", "retrieved_at":
			ok = isText
		case "content":
			ok = true
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return i, i.id != "" && hashed && named && i.hash != ""
}

// shown is one finding or note of E1, with the place inside the item.
type shown struct {
	code string
	path []step
}

// judgeItem is rule E1 on a well-formed item.
func judgeItem(i *item) (findings, notes []shown) {
	name := registered[i.name]
	if name == nil { // evidence.known-name
		return []shown{{"e1.unknown-canonicalisation", []step{nm("canonicalisation")}}}, nil
	}
	content, there := i.content()
	if !there {
		return nil, nil
	}
	inside := []step{nm("content")}
	o, isObject := content.(*object)
	if !isObject && !name.input { // evidence.content-object
		return []shown{{"e1.content-not-object", inside}}, nil
	}
	octets, projected, no := canonicalise(content, i.name)
	if no != nil { // evidence.in-domain
		return []shown{{"e1.outside-domain", append(inside, no.path...)}}, nil
	}
	if digest(octets) != i.hash { // evidence.content-hash
		findings = append(findings, shown{"e1.hash-mismatch", inside})
		if numbersChanged(content, i) {
			notes = append(notes, shown{"note.numbers-changed", inside})
		}
	}
	if name.members != nil {
		more, told := judgeShown(o, projected.(*object), inside)
		findings, notes = append(findings, more...), append(notes, told...)
	}
	return findings, notes
}

// judgeShown is evidence.shown-is-hashed: content against its projection.
func judgeShown(content, projected *object, inside []step) (findings, notes []shown) {
	at := func(name string) []step { return append(append([]step{}, inside...), nm(name)) }
	for m, name := range content.names {
		hashed, covered := projected.get(name)
		switch {
		case !covered:
			findings = append(findings, shown{"e1.unhashed-member", at(name)})
		case bytes.Equal(pyjson(content.values[m]), pyjson(hashed)):
		case allTexts(content.values[m]):
			notes = append(notes, shown{"note.label-order", at(name)})
		default:
			findings = append(findings, shown{"e1.coerced-value", at(name)})
		}
	}
	for _, name := range projected.names {
		if !content.has(name) {
			notes = append(notes, shown{"note.member-absent", inside})
		}
	}
	return findings, notes
}

// allTexts says whether a value is a list of strings.
func allTexts(v value) bool {
	list, ok := v.([]value)
	for _, e := range list {
		if _, text := e.(string); !text {
			return false
		}
	}
	return ok
}

// numbersChanged is evidence.numbers-changed.
func numbersChanged(content value, i *item) bool {
	hash, no := hashUnder(withIntegers(content), i.name)
	return no == nil && hash == i.hash
}

// withIntegers makes an integer of every integral double.
func withIntegers(v value) value {
	switch x := v.(type) {
	case float64:
		if digits, ok := digitsOfIntegral(x); ok {
			return digits
		}
	case []value:
		out := make([]value, len(x))
		for i, e := range x {
			out[i] = withIntegers(e)
		}
		return out
	case *object:
		out := &object{}
		for i, name := range x.names {
			out.add(name, withIntegers(x.values[i]))
		}
		return out
	}
	return v
}

// answerEvidence answers the kind evidence (evidence.envelope).
func answerEvidence(in inputs) value {
	envelope, no := read(in["envelope"])
	if no != nil {
		return no.answer()
	}
	o, ok := envelope.(*object)
	list, isList := o.list("evidence")
	if !ok || o.has("evidence") && !isList {
		return refuseAt("schema", "schema.envelope").answer()
	}
	all, items, words := map[string]bool{}, []value{}, map[string]int{}
	for n, v := range list {
		one := evidenceOfItem(n, v, all)
		word, _ := one.text("verdict")
		words[word]++
		items = append(items, one)
	}
	verdict := "pass"
	if words["failed"] > 0 {
		verdict = "fail"
	} else if words["unchecked"] > 0 || len(items) == 0 {
		verdict = "unchecked"
	}
	return newObject("verdict", verdict, "codes", texts(sortedNames(all)), "items", items)
}

// evidenceOfItem judges one item and adds its codes to all.
func evidenceOfItem(n int, v value, all map[string]bool) *object {
	o, _ := v.(*object)
	id, _ := o.text("source_id")
	codes, notes, word := map[string]bool{}, map[string]bool{}, "verified"
	if i, ok := asItem(n, v); !ok {
		codes["e1.malformed-item"] = true
	} else {
		findings, told := judgeItem(i)
		for _, f := range findings {
			codes[f.code] = true
		}
		for _, t := range told {
			notes[t.code] = true
		}
		if _, there := i.content(); !there {
			word = "unchecked"
		}
	}
	for code := range codes {
		all[code], word = true, "failed"
	}
	return newObject("source_id", id, "verdict", word, "codes", texts(sortedNames(codes)), "notes", texts(sortedNames(notes)))
}

// ---------------------------------------------------------------------------
// Schemas (schemas/*.json)
// ---------------------------------------------------------------------------

// schema is a compiled JSON Schema of the keywords that the kit's own use.
type schema struct {
	deny                              bool // the schema false
	ref                               *schema
	types                             []string
	enum                              []value // of enum, and of const
	limited                           bool    // there is an enum or a const
	pattern                           *regexp.Regexp
	format                            string
	minLength, maxLength, minItems    int // -1 where there is none
	minimum, maximum                  *float64
	required                          []string
	properties                        map[string]*schema
	additional, items                 *schema
	anyOf, oneOf                      []*schema
	condition, thenBranch, elseBranch *schema
}

// library reads the schema files of a checkout, each once.
type library struct {
	folder   string
	files    map[string]*object
	compiled map[string]*schema
}

func newLibrary(kit string) *library {
	return &library{filepath.Join(kit, "schemas"), map[string]*object{}, map[string]*schema{}}
}

var errNoSchema = errors.New("the schema is not there, or is not one")

// file reads one schema file.
func (l *library) file(name string) (*object, error) {
	if o := l.files[name]; o != nil {
		return o, nil
	}
	octets, err := os.ReadFile(filepath.Join(l.folder, name))
	if err != nil {
		return nil, err
	}
	v, no := read(octets)
	o, ok := v.(*object)
	if no != nil || !ok {
		return nil, fmt.Errorf("%s: %w", name, errNoSchema)
	}
	l.files[name] = o
	return o, nil
}

// at compiles the schema at a reference, FILE or FILE#/POINTER. It is entered
// in the table before its parts are compiled, so that schemas may recur.
func (l *library) at(file, reference string) (*schema, error) {
	name, fragment, _ := strings.Cut(reference, "#")
	if name == "" {
		name = file
	}
	key := name + "#" + fragment
	if s := l.compiled[key]; s != nil {
		return s, nil
	}
	top, err := l.file(name)
	if err != nil {
		return nil, err
	}
	var raw value = top
	for _, part := range strings.Split(fragment, "/")[1:] {
		o, _ := raw.(*object)
		raw, _ = o.get(part)
	}
	s := &schema{}
	l.compiled[key] = s
	return s, l.compile(s, name, raw)
}

// part compiles a subschema.
func (l *library) part(file string, raw value) (*schema, error) {
	s := &schema{}
	return s, l.compile(s, file, raw)
}

func (l *library) parts(file string, raw value) ([]*schema, error) {
	list, _ := raw.([]value)
	out := make([]*schema, 0, len(list))
	for _, r := range list {
		s, err := l.part(file, r)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// compile reads the keywords of one schema.
func (l *library) compile(s *schema, file string, raw value) error {
	s.minLength, s.maxLength, s.minItems = -1, -1, -1
	if b, ok := raw.(bool); ok {
		s.deny = !b
		return nil
	}
	o, ok := raw.(*object)
	if !ok {
		return fmt.Errorf("%s: %w", file, errNoSchema)
	}
	for i, word := range o.names {
		if err := l.keyword(s, file, word, o.values[i]); err != nil {
			return fmt.Errorf("%s: %s: %w", file, word, err)
		}
	}
	return nil
}

// keyword reads one keyword. An unknown one is an error: a check that was
// ordered must not be dropped.
func (l *library) keyword(s *schema, file, word string, v value) (err error) {
	text, _ := v.(string)
	switch word {
	case "$schema", "$id", "title", "description", "$defs":
	case "$ref":
		s.ref, err = l.at(file, text)
	case "type":
		s.types = []string{text}
	case "enum":
		list, _ := v.([]value)
		s.enum, s.limited = append(s.enum, list...), true
	case "const":
		s.enum, s.limited = append(s.enum, v), true
	case "pattern":
		// In Go "$" is the end of the text and of nothing else, so the guard
		// against a final line feed has nothing to add.
		s.pattern, err = regexp.Compile(strings.TrimSuffix(text, "(?!\n)"))
	case "format":
		s.format = text
	case "minLength", "maxLength", "minItems", "minimum", "maximum":
		err = s.bound(word, v)
	case "required":
		list, _ := v.([]value)
		for _, e := range list {
			name, _ := e.(string)
			s.required = append(s.required, name)
		}
	case "properties":
		s.properties = map[string]*schema{}
		o, _ := v.(*object)
		for i, name := range o.names {
			if s.properties[name], err = l.part(file, o.values[i]); err != nil {
				return err
			}
		}
	case "additionalProperties":
		s.additional, err = l.part(file, v)
	case "items":
		s.items, err = l.part(file, v)
	case "anyOf":
		s.anyOf, err = l.parts(file, v)
	case "oneOf":
		s.oneOf, err = l.parts(file, v)
	case "if":
		s.condition, err = l.part(file, v)
	case "then":
		s.thenBranch, err = l.part(file, v)
	case "else":
		s.elseBranch, err = l.part(file, v)
	default:
		err = errors.New("a keyword that this interpreter does not know")
	}
	return err
}

// bound reads a keyword whose value is a number.
func (s *schema) bound(word string, v value) error {
	digits, _ := v.(integer)
	n, err := strconv.Atoi(string(digits))
	x := float64(n)
	switch word {
	case "minLength":
		s.minLength = n
	case "maxLength":
		s.maxLength = n
	case "minItems":
		s.minItems = n
	case "minimum":
		s.minimum = &x
	case "maximum":
		s.maximum = &x
	}
	return err
}

// flatten lists the schemas that apply at a place: the one given, what it
// refers to, and the branch that its condition chooses.
func (s *schema) flatten(v value, into []*schema) []*schema {
	if s == nil {
		return into
	}
	into = append(into, s)
	into = s.ref.flatten(v, into)
	if s.condition != nil {
		if s.condition.holds(v) {
			return s.thenBranch.flatten(v, into)
		}
		return s.elseBranch.flatten(v, into)
	}
	return into
}

// holds says whether a value satisfies a schema.
func (s *schema) holds(v value) bool {
	return s.check(v, func([]step) bool { return false })
}

// check tells every place that departs from the schema, once and in document
// order, a container before its members. It stops where tell returns false, and
// returns whether nothing was told.
func (s *schema) check(v value, tell func([]step) bool) bool {
	c := &checking{tell: tell, good: true}
	c.place([]*schema{s}, v)
	return c.good
}

// checking is one walk over a document.
type checking struct {
	tell          func([]step) bool
	path          []step
	good, stopped bool
}

// place holds one value to all the schemas that apply to it.
func (c *checking) place(given []*schema, v value) {
	var all []*schema
	departs := false
	for _, s := range given {
		all = s.flatten(v, all)
	}
	for _, s := range all {
		departs = departs || !s.local(v)
	}
	if departs {
		c.good = false
		if c.stopped = !c.tell(c.path); c.stopped {
			return
		}
	}
	switch x := v.(type) {
	case []value:
		c.elements(all, x)
	case *object:
		c.members(all, x)
	}
}

func (c *checking) elements(all []*schema, list []value) {
	var given []*schema
	for _, s := range all {
		if s.items != nil {
			given = append(given, s.items)
		}
	}
	for i := 0; i < len(list) && len(given) > 0 && !c.stopped; i++ {
		c.path = append(c.path, ix(i))
		c.place(given, list[i])
		c.path = c.path[:len(c.path)-1]
	}
}

func (c *checking) members(all []*schema, o *object) {
	for i, name := range o.names {
		var given []*schema
		for _, s := range all {
			if p := s.properties[name]; p != nil && !p.deny {
				given = append(given, p)
			} else if p == nil && s.additional != nil && !s.additional.deny {
				given = append(given, s.additional)
			}
		}
		if len(given) == 0 {
			continue
		}
		c.path = append(c.path, nm(name))
		c.place(given, o.values[i])
		c.path = c.path[:len(c.path)-1]
		if c.stopped {
			return
		}
	}
}

// local holds a value to the keywords that speak of the value itself. A member
// that is missing, or stands where none is allowed, is a fault of the object.
func (s *schema) local(v value) bool {
	if s.deny || len(s.types) > 0 && !hasType(v, s.types[0]) {
		return false
	}
	if s.limited {
		found := false
		for _, e := range s.enum {
			found = found || equalValues(e, v)
		}
		if !found {
			return false
		}
	}
	switch x := v.(type) {
	case string:
		if !s.localText(x) {
			return false
		}
	case []value:
		if len(x) < s.minItems {
			return false
		}
	case *object:
		if !s.localObject(x) {
			return false
		}
	case integer, float64:
		n := asDouble(v)
		if s.minimum != nil && n < *s.minimum || s.maximum != nil && n > *s.maximum {
			return false
		}
	}
	return (s.anyOf == nil || countHolding(s.anyOf, v) > 0) && (s.oneOf == nil || countHolding(s.oneOf, v) == 1)
}

func (s *schema) localText(x string) bool {
	n := utf8.RuneCountInString(x)
	if n < s.minLength || s.maxLength >= 0 && n > s.maxLength {
		return false
	}
	if s.pattern != nil && !s.pattern.MatchString(x) {
		return false
	}
	if s.format == "date-time" {
		_, ok := readTime(x)
		return ok
	}
	return true
}

func (s *schema) localObject(x *object) bool {
	for _, name := range s.required {
		if !x.has(name) {
			return false
		}
	}
	for _, name := range x.names {
		if p := s.properties[name]; p != nil && p.deny || p == nil && s.additional != nil && s.additional.deny {
			return false
		}
	}
	return true
}

func countHolding(list []*schema, v value) int {
	n := 0
	for _, s := range list {
		if s.holds(v) {
			n++
		}
	}
	return n
}

// hasType is the keyword type; a double without fraction is an integer.
func hasType(v value, name string) bool {
	switch x := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case integer:
		return name == "integer" || name == "number"
	case float64:
		return name == "number" || name == "integer" && x == math.Trunc(x)
	case []value:
		return name == "array"
	}
	return name == "object"
}

// asDouble returns the nearest double of a number.
func asDouble(v value) float64 {
	if x, ok := v.(float64); ok {
		return x
	}
	x, _ := strconv.ParseFloat(string(v.(integer)), 64)
	return x
}

// schemas are the schemas that the parts below ask for.
type schemas struct {
	envelope, delegation, record, request, grounding, sources, copies *schema
	titles                                                            map[string]string // of codes, by spec/rules.json
}

func loadSchemas(kit string) (*schemas, error) {
	l, all := newLibrary(kit), &schemas{}
	for name, into := range map[string]**schema{
		"envelope.json": &all.envelope, "delegation.json": &all.delegation,
		"retrieval-record.json": &all.record, "request.json": &all.request,
		"grounding-verdict.json": &all.grounding, "source-verdict.json": &all.sources,
		"source-copies.json": &all.copies,
	} {
		s, err := l.at(name, name)
		if err != nil {
			return nil, err
		}
		*into = s
	}
	return all, all.readTitles(filepath.Join(kit, "spec", "rules.json"))
}

// readTitles reads the titles of the codes in the catalogue.
func (all *schemas) readTitles(file string) error {
	octets, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	root, no := read(octets)
	catalogue, _ := root.(*object)
	list, ok := catalogue.list("codes")
	if no != nil || !ok {
		return fmt.Errorf("%s: it is not the catalogue of rules", file)
	}
	all.titles = map[string]string{}
	for _, e := range list {
		o, _ := e.(*object)
		code, _ := o.text("code")
		all.titles[code], _ = o.text("title")
	}
	return nil
}

// ---------------------------------------------------------------------------
// Times
// ---------------------------------------------------------------------------

// instant is a time in seconds since 1970 and nanoseconds from 0 on; years 1 to
// 9999 do not fit into nanoseconds of 64 bits.
type instant struct{ seconds, nanos int64 }

// micros is rule time: microseconds, floored (trace.rule-time).
func (t instant) micros() int64 { return t.seconds*1_000_000 + t.nanos/1000 }

func (t instant) isBefore(u instant) bool {
	return t.seconds < u.seconds || t.seconds == u.seconds && t.nanos < u.nanos
}

// readTime reads RFC 3339 as trace.times has it. Only ASCII digits count.
func readTime(s string) (instant, bool) {
	var none instant
	if len(s) < 20 || len(s) > 35 || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return none, false
	}
	year, month, day := decimal(s[:4]), decimal(s[5:7]), decimal(s[8:10])
	hour, minute, second := decimal(s[11:13]), decimal(s[14:16]), decimal(s[17:19])
	if year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) ||
		hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return none, false
	}
	rest, nanos := s[19:], int64(0)
	if rest[0] == '.' {
		n := 1
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n < 2 || n > 10 {
			return none, false
		}
		nanos = decimal((rest[1:n] + "000000000")[:9])
		rest = rest[n:]
	}
	offset, ok := readOffset(rest)
	days := daysSinceEpoch(year, month, day)
	return instant{days*86400 + hour*3600 + minute*60 + second - offset, nanos}, ok
}

// readOffset reads Z or ±hh:mm as seconds.
func readOffset(s string) (int64, bool) {
	if s == "Z" {
		return 0, true
	}
	if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	hours, minutes := decimal(s[1:3]), decimal(s[4:6])
	if hours < 0 || hours > 23 || minutes < 0 || minutes > 59 {
		return 0, false
	}
	offset := hours*3600 + minutes*60
	if s[0] == '-' {
		offset = -offset
	}
	return offset, true
}

// decimal reads ASCII digits, or gives -1.
func decimal(s string) int64 {
	n := int64(0)
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = n*10 + int64(s[i]-'0')
	}
	return n
}

func daysIn(year, month int64) int64 {
	if month == 2 {
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 30 + (month+month/8)%2
}

// daysSinceEpoch counts the days of the Gregorian calendar since 1970.
func daysSinceEpoch(year, month, day int64) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468
}

// ---------------------------------------------------------------------------
// Findings (spec/verdicts.md)
// ---------------------------------------------------------------------------

// findingLimit is how many findings of one rule are listed.
const findingLimit = 1000

// spot is where a finding points: the whole, a span, or a place in a document.
type spot struct {
	kind   int // ofWhole, ofSpan, ofDocument
	span   int
	spanID string // empty where there is none
	file   string // in the files verdict
	path   []step
	order  []int
}

const (
	ofWhole = iota
	ofSpan
	ofDocument
)

// at writes a spot as data (verdicts.finding).
func (s spot) at() *object {
	switch {
	case s.kind == ofSpan && s.spanID == "":
		return newObject("span", number(s.span), "span_id", nil)
	case s.kind == ofSpan:
		return newObject("span", number(s.span), "span_id", s.spanID)
	case s.file != "":
		return newObject("file", s.file, "pointer", pointer(s.path))
	}
	return newObject("pointer", pointer(s.path))
}

// finding is one finding, or a note where it has no rule.
type finding struct {
	rule, code string
	spot
}

// data writes a finding; its code serves as detail.
func (f finding) data() value {
	if f.rule == "" {
		return newObject("code", f.code, "at", f.at(), "detail", f.code)
	}
	return newObject("rule", f.rule, "code", f.code, "at", f.at(), "detail", f.code)
}

// ledger collects findings. Those of one code come in their order, so that the
// first thousand of each code hold the first thousand of each rule, and no more
// has to be kept.
type ledger struct {
	kept  map[string][]finding // by code
	count map[string]int       // by rule
	rules []string             // in the order in which they came
}

func newLedger() *ledger { return &ledger{map[string][]finding{}, map[string]int{}, nil} }

// add enters a finding; where it points is asked only if it is kept.
func (l *ledger) add(code string, where func() spot) {
	prefix, _, _ := strings.Cut(code, ".")
	rule := strings.ToUpper(prefix)
	if l.count[rule] == 0 {
		l.rules = append(l.rules, rule)
	}
	l.count[rule]++
	if len(l.kept[code]) < findingLimit {
		l.kept[code] = append(l.kept[code], finding{rule, code, where()})
	}
}

// codes is the set of the codes of all findings, listed or not.
func (l *ledger) codes() map[string]bool {
	all := map[string]bool{}
	for code := range l.kept {
		all[code] = true
	}
	return all
}

// listed returns the findings of one rule by place and, at one place, by the
// order of the tables of codes; the first thousand (lint.order).
func (l *ledger) listed(rule string) []finding {
	var out []finding
	prefix := strings.ToLower(rule) + "."
	for _, code := range codeOrder {
		if strings.HasPrefix(code, prefix) {
			out = append(out, l.kept[code]...)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].precedes(out[j]) })
	return out[:min(len(out), findingLimit)]
}

func (f finding) precedes(g finding) bool {
	if f.kind != g.kind {
		return f.kind < g.kind
	}
	if f.span != g.span {
		return f.span < g.span
	}
	return before(f.order, g.order) < 0
}

// omitted counts what is not listed, by rule.
func (l *ledger) omitted() *object {
	out := &object{}
	for _, rule := range l.rules {
		if n := l.count[rule]; n > findingLimit {
			out.add(rule, number(n-findingLimit))
		}
	}
	return out
}

// codeOrder has the codes as the chapters' tables have them.
var codeOrder = strings.Fields(`
c1.schema c2.problem-missing c3.reason-missing c4.referral-missing c5.payload-missing c6.payload-present
c7.problem-present c8.schema-class-missing c8.grounded-on-missing c9.unregistered c10.grounded-on-empty
c11.input-not-cited c12.other-evidence c13.not-delegated c14.unpaired c15.not-recorded
g0.no-root g0.many-roots g0.foreign-trace g0.outside-tree g0.duplicate-span-id g0.cycle g0.span-name
g0.span-id g0.trace-id g0.time g0.unended-span g0.end-before-start g0.span-status g0.attributes
g0.owned-attribute g0.mode-missing g0.mode-unknown g0.mode-differs g0.input-hash
g0.input-canonicalisation g0.clock-skew g0.span-profile g0.envelope g0.invocation-id g0.outcome
g0.status g0.payload g0.schema-class g0.grounded-on-missing g0.malformed-references g0.evidence
g0.duplicate-evidence g0.delegations g0.retrievals g0.retrieval-span g0.withheld-content
e1.unknown-canonicalisation e1.content-not-object e1.outside-domain e1.hash-mismatch e1.unhashed-member
e1.coerced-value g1.call-before-retrieval g2.not-retrieved g2.rests-on-nothing g3.not-retrieved
g4.not-in-evidence r1.retrieval r2.reference r2.evidence r3.input-not-cited r3.rests-on-nothing
n1.model-call d1.reference d2.evidence d3.input-not-cited d3.rests-on-nothing b1.reference b2.evidence
b3.rests-on-no-record b4.span-without-record b4.record-without-span b4.record-differs`)

// ---------------------------------------------------------------------------
// Envelope and contract (spec/envelope.md)
// ---------------------------------------------------------------------------

var statuses = map[string]bool{"succeeded": true, "abstained": true, "referred": true, "failed": true, "suspended": true}

var modes = map[string]bool{"retrieval": true, "input_only": true, "none": true, "delegation": true, "brokered": true}

// contract holds one envelope to C1 to C15.
type contract struct {
	root         value
	o            *object
	mode, status string
	*ledger
}

// contractRules are the rules in their order.
var contractRules = strings.Fields("C1 C2 C3 C4 C5 C6 C7 C8 C9 C10 C11 C12 C13 C14 C15")

// judgeContract applies the contract to a document that was read.
func judgeContract(all *schemas, root value) *contract {
	c := &contract{root: root, ledger: newLedger()}
	c.o, _ = root.(*object)
	if c.o == nil { // contract.schema
		c.add("c1.schema", func() spot { return spot{kind: ofDocument} })
		return c
	}
	all.envelope.check(root, func(path []step) bool {
		c.fault("c1.schema", path...)
		return true
	})
	c.mode, _ = c.o.text("grounding_mode")
	c.status, _ = c.o.member("outcome").text("status")
	c.byStatus()
	c.payload()
	c.evidence()
	return c
}

func (c *contract) fault(code string, path ...step) {
	c.add(code, func() spot {
		return spot{kind: ofDocument, path: append([]step{}, path...), order: documentOrder(c.root, path)}
	})
}

// byStatus is C2 to C7.
func (c *contract) byStatus() {
	if !statuses[c.status] {
		return
	}
	outcome := c.o.member("outcome")
	broken := c.status == "failed" || c.status == "suspended"
	declined := c.status == "abstained" || c.status == "referred"
	problem, payload := c.o.has("problem"), c.o.has("payload")
	if broken && !problem { // contract.problem-given
		c.fault("c2.problem-missing")
	}
	if declined && !outcome.has("reason_code") { // contract.reason-given
		c.fault("c3.reason-missing", nm("outcome"))
	}
	if c.status == "referred" && !outcome.has("referred_to") { // contract.referral-named
		c.fault("c4.referral-missing", nm("outcome"))
	}
	if c.status == "succeeded" && !payload { // contract.payload-given
		c.fault("c5.payload-missing")
	}
	if c.status != "succeeded" && payload { // contract.payload-only-on-success
		c.fault("c6.payload-present", nm("payload"))
	}
	if !broken && problem { // contract.problem-only-on-failure
		c.fault("c7.problem-present", nm("problem"))
	}
}

// payload is C8, C10 and C14.
func (c *contract) payload() {
	given, present := c.o.get("payload")
	payload, isObject := given.(*object)
	if isObject { // contract.payload-grounded
		if !payload.has("schema_class") {
			c.fault("c8.schema-class-missing", nm("payload"))
		}
		if !payload.has("grounded_on") {
			c.fault("c8.grounded-on-missing", nm("payload"))
		}
	}
	if c.status == "succeeded" && (c.mode == "retrieval" || c.mode == "brokered") {
		list, isList := payload.list("grounded_on") // contract.retrieval-grounded
		switch {
		case !present:
			c.fault("c10.grounded-on-empty")
		case isObject && !payload.has("grounded_on"):
			c.fault("c10.grounded-on-empty", nm("payload"))
		case isList && len(list) == 0:
			c.fault("c10.grounded-on-empty", nm("payload"), nm("grounded_on"))
		}
	}
	c.paired(present)
}

// versioned reads a contract version as its schema has it.
var versioned = regexp.MustCompile(`^(0|[1-9][0-9]{0,5})[.](0|[1-9][0-9]{0,5})([.](0|[1-9][0-9]{0,5}))?$`)

// paired is contract.payload-schema-paired: whether the two are there, whatever their values.
func (c *contract) paired(present bool) {
	version, _ := c.o.text("contract_version")
	parts := versioned.FindStringSubmatch(version)
	if parts == nil || parts[1] == "0" && decimal(parts[2]) < 6 {
		return
	}
	if present != c.o.has("payload_schema") {
		c.fault("c14.unpaired")
	}
}

// evidence is C9, and C11 to C15 for a run that succeeded.
func (c *contract) evidence() {
	list, isList := c.o.list("evidence")
	for i, v := range list { // contract.canonicalisation-registered
		o, _ := v.(*object)
		if name, ok := o.text("canonicalisation"); ok && registered[name] == nil {
			c.fault("c9.unregistered", nm("evidence"), ix(i), nm("canonicalisation"))
		}
	}
	if c.status != "succeeded" || c.o.has("evidence") && !isList {
		return
	}
	switch c.mode {
	case "input_only", "none", "delegation":
		c.inputRules(list)
	case "brokered":
		c.recordedAlone(list)
	}
}

// inputRules is C11, C12 and C13. Without an invocation id that is a string
// nothing can be told to be the input or not, and C1 speaks.
func (c *contract) inputRules(list []value) {
	id, ok := c.o.text("invocation_id")
	if !ok {
		return
	}
	delegated, known := c.delegated()
	cited := false
	for i, v := range list {
		o, _ := v.(*object)
		source, isSource := o.text("source_id")
		name, isName := o.text("canonicalisation")
		if !isSource || !isName {
			continue
		}
		if source == "input:"+id && isInputName(name) {
			cited = true
			continue
		}
		hash, isHash := o.text("content_hash")
		if c.mode != "delegation" { // contract.input-alone
			c.fault("c12.other-evidence", nm("evidence"), ix(i))
		} else if known && isHash && !delegated[[3]string{source, hash, name}] { // contract.delegated-alone
			c.fault("c13.not-delegated", nm("evidence"), ix(i))
		}
	}
	if cited { // contract.input-cited
		return
	}
	if c.o.has("evidence") {
		c.fault("c11.input-not-cited", nm("evidence"))
	} else {
		c.fault("c11.input-not-cited")
	}
}

// delegated collects what the recorded delegations may be cited as.
func (c *contract) delegated() (map[[3]string]bool, bool) {
	out := map[[3]string]bool{}
	list, isList := c.o.list("delegations")
	for _, v := range list {
		o, _ := v.(*object)
		id, isID := o.text("delegated_invocation_id")
		hash, isHash := o.text("content_hash")
		name, isName := o.text("canonicalisation")
		if o != nil && !o.has("canonicalisation") {
			name, isName = envelopeName, true
		}
		if isID && isHash && isName {
			out[[3]string{"invocation:" + id, hash, name}] = true
		}
	}
	return out, isList || !c.o.has("delegations")
}

// recordedAlone is contract.retrieved-alone.
func (c *contract) recordedAlone(list []value) {
	records, isList := c.o.list("retrievals")
	if c.o.has("retrievals") && !isList {
		return
	}
	four := func(v value) ([4]string, bool) {
		var out [4]string
		o, _ := v.(*object)
		good := true
		for i, name := range []string{"source_id", "content_hash", "canonicalisation", "snapshot_ref"} {
			text, ok := o.text(name)
			out[i] = text
			good = good && (ok || name == "snapshot_ref" && o != nil && !o.has(name))
		}
		return out, good
	}
	recorded := map[[4]string]bool{}
	for _, v := range records {
		o, _ := v.(*object)
		status, _ := o.text("status")
		if key, good := four(v); good && status == "ok" && o.has("snapshot_ref") {
			recorded[key] = true
		}
	}
	for i, v := range list {
		o, _ := v.(*object)
		if key, good := four(v); good && !(o.has("snapshot_ref") && recorded[key]) {
			c.fault("c15.not-recorded", nm("evidence"), ix(i))
		}
	}
}

// structLevels is how deep a document may nest that crosses a protobuf Struct.
const structLevels = 32

// notes is the note of the contract.
func (c *contract) notes() []string {
	if depthOf(c.root) > structLevels {
		return []string{"note.struct-depth"}
	}
	return []string{}
}

// findings lists what was found in document order and, at one place, by rule.
func (c *contract) findings() []finding {
	var out []finding
	for _, rule := range contractRules {
		out = append(out, c.listed(rule)...)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].precedes(out[j]) })
	return out
}

// answerContract answers the kind contract.
func answerContract(all *schemas, in inputs) value {
	root, no := read(in["envelope"])
	if no != nil {
		return no.answer()
	}
	c := judgeContract(all, root)
	verdict, findings := "pass", []value{}
	for _, f := range c.findings() {
		verdict = "fail"
		findings = append(findings, newObject("code", f.code, "pointer", pointer(f.path)))
	}
	return newObject("verdict", verdict, "codes", texts(sortedNames(c.codes())), "notes", texts(c.notes()), "findings", findings)
}

// ---------------------------------------------------------------------------
// Trace (spec/trace.md)
// ---------------------------------------------------------------------------

// spanLimit is trace.limit.
const spanLimit = 100_000

// bytesText is the text of a bytesValue: it is no string.
type bytesText string

// span is one span as the rules read it: what is malformed is absent, and told
// in faults.
type span struct {
	index        int
	name         string
	named        bool
	id, trace    string // in normal form, empty where malformed
	parent       string // in normal form, empty where there is none
	start, end   instant
	starts, ends bool
	failed       bool
	attributes   *object
	faults       map[string]bool
}

func (s *span) fault(code string) { s.faults[code] = true }

func (s *span) spot() spot { return spot{kind: ofSpan, span: s.index, spanID: s.id} }

// rawSpan is a span before it is looked into.
type rawSpan struct {
	*object
	otlp bool
}

// readTrace reads a trace: the forms and the limit first, then the ids that are
// base64, then each span.
func readTrace(octets []byte) ([]*span, *refusal) {
	raw, no := readForms(octets)
	if no != nil {
		return nil, no
	}
	for _, r := range raw {
		trace, id, parent := r.ids()
		for _, v := range []value{trace, id, parent} {
			if isBase64ID(v) { // trace.base64-ids
				return nil, refuse("read.base64-id")
			}
		}
	}
	spans := make([]*span, 0, len(raw))
	for i, r := range raw {
		spans = append(spans, r.span(i))
	}
	return spans, nil
}

// readForms is trace.lines, trace.forms and trace.limit.
func readForms(octets []byte) ([]rawSpan, *refusal) {
	c := &collector{}
	split := lines(octets)
	var first value
	no := refuse("read.empty")
	if len(split) > 0 {
		first, no = read(split[0])
	}
	if no != nil { // no complete text: the whole file is one
		whole, no := read(octets)
		if no != nil {
			return nil, no
		}
		split, first = split[:1], whole
	}
	for len(split) > 1 && len(bytes.Trim(split[len(split)-1], " \t\r")) == 0 {
		split = split[:len(split)-1]
	}
	for i, line := range split {
		text := first
		if i > 0 {
			if text, no = read(line); no != nil {
				return nil, no
			}
		}
		if no = c.text(text); no != nil {
			return nil, no
		}
	}
	if len(c.spans) == 0 {
		return nil, refuse("read.not-a-trace")
	}
	return c.spans, nil
}

// collector gathers the spans of the texts of a trace.
type collector struct{ spans []rawSpan }

func (c *collector) text(v value) *refusal {
	o, _ := v.(*object)
	if resources, ok := o.get("resourceSpans"); ok {
		return c.inner(resources, "scopeSpans", "spans")
	}
	if o.has("context") {
		return c.span(o, false)
	}
	return refuse("read.not-a-trace")
}

// inner walks a list of objects whose member of the next name, where present,
// is again a list, down to the spans.
func (c *collector) inner(v value, names ...string) *refusal {
	list, ok := v.([]value)
	if !ok {
		return refuse("read.not-a-trace")
	}
	for _, e := range list {
		o, ok := e.(*object)
		if !ok {
			return refuse("read.not-a-trace")
		}
		no := (*refusal)(nil)
		if len(names) == 0 {
			no = c.span(o, true)
		} else if next, ok := o.get(names[0]); ok {
			no = c.inner(next, names[1:]...)
		}
		if no != nil {
			return no
		}
	}
	return nil
}

func (c *collector) span(o *object, otlp bool) *refusal {
	if len(c.spans) == spanLimit {
		return refuse("read.too-many-spans")
	}
	c.spans = append(c.spans, rawSpan{o, otlp})
	return nil
}

// ids returns the three ids of a span as they stand.
func (r rawSpan) ids() (trace, id, parent value) {
	if r.otlp {
		trace, _ = r.get("traceId")
		id, _ = r.get("spanId")
		parent, _ = r.get("parentSpanId")
		return trace, id, parent
	}
	context := r.member("context")
	trace, _ = context.get("trace_id")
	id, _ = context.get("span_id")
	parent, _ = r.get("parent_id")
	return trace, id, parent
}

var base64ID = regexp.MustCompile(`^[A-Za-z0-9+/]+={1,2}$`)

// isBase64ID is trace.base64-ids: without padding it may be a short id.
func isBase64ID(v value) bool {
	s, ok := v.(string)
	return ok && (len(s) == 12 || len(s) == 24) && base64ID.MatchString(s)
}

// normalID is trace.ids: the normal form of an id, or none.
func normalID(v value, digits int) (string, bool) {
	s, ok := v.(string)
	s = strings.TrimPrefix(s, "0x")
	if !ok || s == "" || len(s) > digits {
		return "", false
	}
	form, zeros := []byte(strings.Repeat("0", digits)), true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'A' && c <= 'F' {
			c += 'a' - 'A'
		}
		if strings.IndexByte(hexDigits, c) < 0 {
			return "", false
		}
		zeros = zeros && c == '0'
		form[digits-len(s)+i] = c
	}
	return string(form), !zeros
}

// span reads one span.
func (r rawSpan) span(index int) *span {
	s := &span{index: index, faults: map[string]bool{}, attributes: &object{}}
	if s.name, s.named = r.text("name"); !s.named {
		s.fault("g0.span-name")
	}
	r.readIDs(s)
	if r.otlp {
		r.nanoTimes(s)
		r.pairAttributes(s)
		r.status(s, "code", otlpStatuses)
	} else {
		r.wordTimes(s)
		r.plainAttributes(s)
		r.status(s, "status_code", lineStatuses)
	}
	if s.starts && s.ends && s.end.isBefore(s.start) {
		s.fault("g0.end-before-start")
	}
	return s
}

// readIDs is trace.ids.
func (r rawSpan) readIDs(s *span) {
	trace, id, parent := r.ids()
	var ok bool
	if s.trace, ok = normalID(trace, 32); !ok {
		s.trace = ""
		s.fault("g0.trace-id")
	}
	if s.id, ok = normalID(id, 16); !ok {
		s.id = ""
		s.fault("g0.span-id")
	}
	if parent == nil || r.otlp && isNoParent(parent) {
		return
	}
	if s.parent, ok = normalID(parent, 16); !ok {
		s.parent = ""
		s.fault("g0.span-id")
	}
}

// isNoParent says whether an OTLP/JSON parent id is empty or all zeros.
func isNoParent(v value) bool {
	s, ok := v.(string)
	if !ok || s == "" {
		return ok
	}
	s = strings.TrimPrefix(s, "0x")
	return s != "" && strings.Trim(s, "0") == ""
}

// wordTimes reads the times of to_json (trace.times).
func (r rawSpan) wordTimes(s *span) {
	start, _ := r.text("start_time")
	if s.start, s.starts = readTime(start); !s.starts {
		s.fault("g0.time")
	}
	given, _ := r.get("end_time")
	if given == nil {
		s.fault("g0.unended-span")
		return
	}
	end, _ := given.(string)
	if s.end, s.ends = readTime(end); !s.ends {
		s.fault("g0.time")
	}
}

// nanoTimes reads the times of OTLP/JSON (trace.times).
func (r rawSpan) nanoTimes(s *span) {
	start, _ := r.get("startTimeUnixNano")
	if s.start, s.starts = readNanos(start); !s.starts {
		s.fault("g0.time")
	}
	end, _ := r.get("endTimeUnixNano")
	if s.end, s.ends = readNanos(end); !s.ends && end != nil {
		s.fault("g0.time")
	} else if end == nil || s.end == (instant{}) {
		s.ends = false
		s.fault("g0.unended-span")
	}
}

// readNanos reads nanoseconds below 2^64 as decimal digits.
func readNanos(v value) (instant, bool) {
	digits, ok := v.(string)
	if n, isNumber := v.(integer); isNumber {
		digits, ok = string(n), true
	}
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return instant{}, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return instant{int64(n / 1_000_000_000), int64(n % 1_000_000_000)}, err == nil
}

// plainAttributes reads the attributes of to_json (trace.attributes).
func (r rawSpan) plainAttributes(s *span) {
	if o := r.member("attributes"); o != nil {
		s.attributes = o
	} else {
		s.fault("g0.attributes")
	}
}

// pairAttributes reads the attributes of OTLP/JSON (trace.attributes).
func (r rawSpan) pairAttributes(s *span) {
	given, present := r.get("attributes")
	if !present {
		return
	}
	if o, ok := readPairs(given); ok {
		s.attributes = o
	} else {
		s.fault("g0.attributes")
	}
}

// readPairs reads a list of {key, value}, in which no key stands twice.
func readPairs(v value) (*object, bool) {
	list, ok := v.([]value)
	if !ok {
		return nil, false
	}
	out := &object{}
	for _, e := range list {
		o, _ := e.(*object)
		key, isText := o.text("key")
		given, there := o.get("value")
		if !isText || !there || len(o.names) != 2 || out.position(key) >= 0 {
			return nil, false
		}
		typed, ok := readTyped(given)
		if !ok {
			return nil, false
		}
		out.add(key, typed)
	}
	return out, true
}

// readTyped reads an object with one typed value.
func readTyped(v value) (value, bool) {
	o, ok := v.(*object)
	if !ok || len(o.names) != 1 {
		return nil, false
	}
	given := o.values[0]
	switch o.names[0] {
	case "stringValue":
		s, ok := given.(string)
		return s, ok
	case "boolValue":
		b, ok := given.(bool)
		return b, ok
	case "intValue":
		return readInt64(given)
	case "doubleValue":
		return readDouble(given)
	case "bytesValue":
		s, ok := given.(string)
		return bytesText(s), ok
	case "arrayValue":
		list, ok := onlyValues(given)
		out := make([]value, 0, len(list))
		for _, e := range list {
			typed, good := readTyped(e)
			if !good {
				return nil, false
			}
			out = append(out, typed)
		}
		return out, ok
	case "kvlistValue":
		list, ok := onlyValues(given)
		if !ok {
			return nil, false
		}
		return readPairs(list)
	}
	return nil, false
}

// onlyValues reads an object of at most a list of values.
func onlyValues(v value) ([]value, bool) {
	o, ok := v.(*object)
	if !ok || len(o.names) == 0 {
		return []value{}, ok
	}
	list, isList := o.list("values")
	return list, isList && len(o.names) == 1
}

// readInt64 reads an intValue, a decimal string or an integer within 64 bits.
func readInt64(v value) (value, bool) {
	digits, ok := v.(string)
	if n, isNumber := v.(integer); isNumber {
		digits, ok = string(n), true
	}
	if !ok || strings.HasPrefix(digits, "+") {
		return nil, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return integer(strconv.FormatInt(n, 10)), err == nil
}

// readDouble reads a doubleValue; what comes out is a double however it was
// spelled.
func readDouble(v value) (value, bool) {
	switch x := v.(type) {
	case float64:
		return x, true
	case integer:
		d := asDouble(x)
		return d, !math.IsInf(d, 0)
	case string:
		f, ok := map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}[x]
		return f, ok
	}
	return nil, false
}

var lineStatuses = map[value]bool{"UNSET": false, "OK": false, "ERROR": true}

var otlpStatuses = map[value]bool{
	integer("0"): false, integer("1"): false, integer("2"): true,
	"STATUS_CODE_UNSET": false, "STATUS_CODE_OK": false, "STATUS_CODE_ERROR": true,
}

// status is trace.status.
func (r rawSpan) status(s *span, member string, known map[value]bool) {
	given, present := r.get("status")
	if !present {
		return
	}
	o, ok := given.(*object)
	code, stated := o.get(member)
	if ok && !stated {
		return
	}
	switch code.(type) { // what may be looked up
	case string, integer:
		s.failed, ok = known[code]
	default:
		ok = false
	}
	if !ok {
		s.fault("g0.span-status")
	}
}

// profile is a span profile (trace.profile).
type profile struct {
	id                           string
	byAttributes                 bool // a root is known by its attributes
	retrieval, models, embedding map[string]bool
}

func setOf(list string) map[string]bool {
	out := map[string]bool{}
	for _, name := range strings.Fields(list) {
		out[name] = true
	}
	return out
}

var profiles = map[string]*profile{
	"dd": {"dd", false, setOf("retrieval"), setOf("chat"), setOf("")},
	"genai": {"genai", true, setOf("retrieval search_memory"),
		setOf("chat generate_content text_completion"), setOf("embeddings")},
}

// owned is trace.owned.
var owned = strings.Fields(`dd.grounding_mode dd.input_hash dd.outcome dd.input_canonicalisation dd.invocation_id
	dd.agent_id dd.agent_version dd.span_profile dd.clock_skew_us`)

func (s *span) hasOwned() bool {
	for _, name := range owned {
		if s.attributes.has(name) {
			return true
		}
	}
	return false
}

// profileOf chooses the profile: the verifier's, else that of the first span
// that carries the attribute, else dd.
func profileOf(spans []*span, option string) *profile {
	if p := profiles[option]; p != nil {
		return p
	}
	for _, s := range spans {
		if s.attributes.has("dd.span_profile") {
			name, _ := s.attributes.text("dd.span_profile")
			if p := profiles[name]; p != nil {
				return p
			}
			break
		}
	}
	return profiles["dd"]
}

// genaiOperation is the operation by the column of genai.
func (s *span) genaiOperation() string {
	if name, ok := s.attributes.text("gen_ai.operation.name"); ok {
		return name
	}
	first, _, _ := strings.Cut(s.name, " ")
	return first
}

func (p *profile) operation(s *span) string {
	if p.byAttributes {
		return s.genaiOperation()
	}
	return s.name
}

func (p *profile) isRoot(s *span) bool {
	if p.byAttributes {
		return s.hasOwned()
	}
	return s.name == "invoke_agent"
}

// isRetrieval is trace.retrieval: by operation, or by both attributes.
func (p *profile) isRetrieval(s *span) bool {
	return p.retrieval[p.operation(s)] || s.attributes.has("dd.source_id") && s.attributes.has("dd.content_hash")
}

// unclassified says whether a span looks like a call that dd does not know.
func (p *profile) unclassified(s *span) bool {
	g := profiles["genai"]
	op := s.genaiOperation()
	return !p.byAttributes && s.name != "chat" && (g.models[op] || g.embedding[op])
}

// rootOf returns the root where there is exactly one, and all roots.
func (p *profile) rootOf(spans []*span) (*span, []*span) {
	var roots []*span
	for _, s := range spans {
		if p.isRoot(s) {
			roots = append(roots, s)
		}
	}
	if len(roots) == 1 {
		return roots[0], roots
	}
	return nil, roots
}

// declaration is what a retrieval declares.
type declaration struct {
	pairs    map[pair]bool
	empty    bool
	illTyped bool
	hashless bool // a document without a hash
}

// declared is trace.retrieved-pair and trace.documents. A failed retrieval
// declares nothing, whatever it says.
func (s *span) declared() declaration {
	d := declaration{pairs: map[pair]bool{}}
	if s.failed {
		d.empty = true
		return d
	}
	id, hasID := s.attributes.get("dd.source_id")
	hash, hasHash := s.attributes.get("dd.content_hash")
	if hasID || hasHash {
		text, _ := id.(string)
		if text == "" || !isDigest(hash) {
			d.illTyped = true
		} else {
			d.pairs[pair{text, hash.(string)}] = true
		}
	}
	if given, ok := s.attributes.get("gen_ai.retrieval.documents"); ok && !d.documents(given) {
		d.illTyped = true
	}
	if d.illTyped {
		d.pairs, d.hashless = map[pair]bool{}, false
	}
	d.empty = !d.illTyped && len(d.pairs) == 0
	return d
}

// documents reads a list, or a string that holds one.
func (d *declaration) documents(given value) bool {
	if text, ok := given.(string); ok {
		v, no := read([]byte(text))
		if no != nil {
			return false
		}
		given = v
	}
	list, ok := given.([]value)
	for _, e := range list {
		o, _ := e.(*object)
		id, _ := o.text("id")
		hash, hashed := o.get("dd.content_hash")
		if id == "" || hashed && !isDigest(hash) {
			return false
		}
		if hashed {
			d.pairs[pair{id, hash.(string)}] = true
		} else {
			d.hashless = true
		}
	}
	return ok
}

// ---------------------------------------------------------------------------
// Grounding rules (spec/grounding-rules.md)
// ---------------------------------------------------------------------------

// lintRules are the rules in the order of the table.
var lintRules = strings.Fields("G0 E1 G1 G2 G3 G4 R1 R2 R3 N1 D1 D2 D3 B1 B2 B3 B4")

var invocationID = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// reference is a well-formed grounding reference and its place.
type reference struct {
	pair
	path []step
}

// record is a well-formed delegation or retrieval record.
type record struct {
	index int
	*object
}

func (r record) say(name string) string {
	s, _ := r.text(name)
	return s
}

// time returns a member that the schema holds to be a time, in rule time.
func (r record) time(name string) int64 {
	t, _ := readTime(r.say(name))
	return t.micros()
}

// linter judges one run. Spans, citations and records are each read once.
type linter struct {
	all     *schemas
	spans   []*span
	root    value // of the envelope
	o       *object
	profile *profile
	*ledger
	notes    []finding
	noted    int
	noteSet  map[string]bool
	top      *span   // the one root
	roots    []*span // all of them
	byID     map[string]*span
	declares []*declaration // nil where a span is no retrieval
	mode     string
	status   string
	id       string // the invocation id, empty where ill-formed
	refs     []reference
	items    []*item
	children []record
	records  []record
	withheld bool
}

// lint judges a run; option is the verifier's own span profile, or empty.
func lint(all *schemas, spans []*span, envelope value, option string) *linter {
	l := &linter{all: all, spans: spans, root: envelope, ledger: newLedger(), noteSet: map[string]bool{}}
	l.o, _ = envelope.(*object)
	l.profile = profileOf(spans, option)
	l.top, l.roots = l.profile.rootOf(spans)
	l.classify()
	l.mode = l.modeOf()
	l.withheld = isWithheld(l.o)
	if l.withheld { // only what a verdict counts
		l.ledger, l.children = newLedger(), nil
		l.delegations(false)
		l.id = l.invocation(false)
		return l
	}
	l.judgeSpans()
	l.judgeEnvelope()
	l.judgeEvidence()
	l.judgeMode()
	l.judgeNotes()
	return l
}

// isWithheld is lint.withheld.
func isWithheld(o *object) bool {
	status, _ := o.member("outcome").text("status")
	kind, _ := o.member("problem").text("type")
	return status == "failed" && strings.HasSuffix(kind, "grounding-violation") && isEmptied(o)
}

// isEmptied says whether there is neither payload nor evidence.
func isEmptied(o *object) bool {
	list, isList := o.list("evidence")
	return o != nil && !o.has("payload") && (!o.has("evidence") || isList && len(list) == 0)
}

// classify finds the retrievals, and the first span of every id.
func (l *linter) classify() {
	l.byID = make(map[string]*span, len(l.spans))
	l.declares = make([]*declaration, len(l.spans))
	for i, s := range l.spans {
		if s.id != "" && l.byID[s.id] == nil {
			l.byID[s.id] = s
		}
		if l.profile.isRetrieval(s) {
			d := s.declared()
			l.declares[i] = &d
		}
	}
}

// modeOf is lint.mode.
func (l *linter) modeOf() string {
	if l.top != nil {
		if mode, _ := l.top.attributes.text("dd.grounding_mode"); modes[mode] {
			return mode
		}
	}
	if mode, _ := l.o.text("grounding_mode"); modes[mode] {
		return mode
	}
	return ""
}

func (l *linter) onSpan(code string, s *span) { l.add(code, s.spot) }

func (l *linter) onPlace(code string, path ...step) {
	l.add(code, func() spot { return l.place(path) })
}

// onMember points at a member, or at what lacks it.
func (l *linter) onMember(code string, o *object, name string, path ...step) {
	if o.has(name) {
		path = append(path, nm(name))
	}
	l.onPlace(code, path...)
}

func (l *linter) place(path []step) spot {
	return spot{kind: ofDocument, path: append([]step{}, path...), order: documentOrder(l.root, path)}
}

// note tells a note; the first thousand are listed.
func (l *linter) note(code string, at spot) {
	l.noted++
	l.noteSet[code] = true
	if len(l.notes) < findingLimit {
		l.notes = append(l.notes, finding{"", code, at})
	}
}

// --- G0 on spans ---

func (l *linter) judgeSpans() {
	if len(l.roots) == 0 { // g0.root
		l.add("g0.no-root", func() spot { return spot{kind: ofWhole} })
	}
	for i, s := range l.roots {
		if i > 0 {
			l.onSpan("g0.many-roots", s)
		}
	}
	onCycle := l.cycles()
	if l.top != nil {
		l.tree(onCycle)
		l.rootAttributes()
	}
	isRoot := make(map[*span]bool, len(l.roots))
	for _, s := range l.roots {
		isRoot[s] = true
	}
	for i, s := range l.spans {
		for _, code := range sortedNames(s.faults) { // g0.span
			l.onSpan(code, s)
		}
		if s.id != "" && l.byID[s.id] != s {
			l.onSpan("g0.duplicate-span-id", s)
		}
		if !isRoot[s] && s.hasOwned() { // g0.owned
			l.onSpan("g0.owned-attribute", s)
		}
		if d := l.declares[i]; d != nil && d.illTyped { // g0.retrieval
			l.onSpan("g0.retrieval-span", s)
		}
	}
}

// above returns the span that a parent id names, or nil.
func (l *linter) above(s *span) *span {
	if s.parent == "" {
		return nil
	}
	return l.byID[s.parent]
}

// cycles tells each cycle once, at its first span, and returns which spans are
// on one. Every span is visited once on the way up and once on the way round.
func (l *linter) cycles() []bool {
	onCycle, walk := make([]bool, len(l.spans)), make([]int, len(l.spans))
	var firsts []int
	for i, s := range l.spans {
		at := s
		for at != nil && walk[at.index] == 0 {
			walk[at.index] = i + 1
			at = l.above(at)
		}
		if at == nil || walk[at.index] != i+1 {
			continue // ended, or met an earlier walk
		}
		first := at.index
		for m := at; !onCycle[m.index]; m = l.above(m) {
			onCycle[m.index] = true
			first = min(first, m.index)
		}
		firsts = append(firsts, first)
	}
	sort.Ints(firsts)
	for _, i := range firsts {
		l.onSpan("g0.cycle", l.spans[i])
	}
	return onCycle
}

// tree is g0.tree: one trace, and descent from the root.
func (l *linter) tree(onCycle []bool) {
	const unknown, inside, outside = 0, 1, 2
	state := make([]int, len(l.spans))
	state[l.top.index] = inside
	var way []*span
	for _, s := range l.spans {
		way = way[:0]
		at := s
		for at != nil && state[at.index] == unknown {
			state[at.index] = outside // until the end of the way is known
			way = append(way, at)
			at = l.above(at)
		}
		if at != nil && state[at.index] == inside {
			for _, w := range way {
				state[w.index] = inside
			}
		}
		if l.top.trace != "" && s.trace != "" && s.trace != l.top.trace {
			l.onSpan("g0.foreign-trace", s)
		}
		if state[s.index] == outside && !onCycle[s.index] {
			l.onSpan("g0.outside-tree", s)
		}
	}
}

// rootAttributes is g0.root-attributes, and the root's part of g0.mode.
func (l *linter) rootAttributes() {
	a := l.top.attributes
	mode, stated := a.get("dd.grounding_mode")
	if text, _ := mode.(string); !stated {
		l.onSpan("g0.mode-missing", l.top)
	} else if !modes[text] {
		l.onSpan("g0.mode-unknown", l.top)
	}
	if hash, _ := a.get("dd.input_hash"); !isDigest(hash) {
		l.onSpan("g0.input-hash", l.top)
	}
	if name, _ := a.text("dd.input_canonicalisation"); a.has("dd.input_canonicalisation") && !isInputName(name) {
		l.onSpan("g0.input-canonicalisation", l.top)
	}
	if _, ok := skewOf(l.top); a.has("dd.clock_skew_us") && !ok {
		l.onSpan("g0.clock-skew", l.top)
	}
	if name, _ := a.text("dd.span_profile"); a.has("dd.span_profile") && profiles[name] == nil {
		l.onSpan("g0.span-profile", l.top)
	}
}

// skewOf reads the clock skew; beyond 64 bits any difference is within it.
func skewOf(root *span) (int64, bool) {
	if root == nil {
		return 0, false
	}
	v, _ := root.attributes.get("dd.clock_skew_us")
	digits, ok := v.(integer)
	if !ok || strings.HasPrefix(string(digits), "-") {
		return 0, false
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		n = math.MaxInt64
	}
	return n, true
}

// --- G0 on the envelope ---

func (l *linter) judgeEnvelope() {
	if l.o == nil { // g0.envelope
		l.onPlace("g0.envelope")
		return
	}
	l.envelopeMode()
	l.id = l.invocation(true)
	l.outcome()
	l.payload()
	l.evidenceItems()
	l.delegations(true)
	l.retrievals()
	l.withheldContent()
}

// envelopeMode is the envelope's part of g0.mode.
func (l *linter) envelopeMode() {
	mode, _ := l.o.text("grounding_mode")
	switch {
	case !l.o.has("grounding_mode"):
		l.onPlace("g0.mode-missing")
	case !modes[mode]:
		l.onPlace("g0.mode-unknown", nm("grounding_mode"))
	case l.top != nil:
		if other, _ := l.top.attributes.text("dd.grounding_mode"); modes[other] && other != mode {
			l.onPlace("g0.mode-differs", nm("grounding_mode"))
		}
	}
}

// invocation returns the invocation id where it is well-formed.
func (l *linter) invocation(told bool) string {
	id, _ := l.o.text("invocation_id")
	if invocationID.MatchString(id) {
		return id
	}
	if told {
		l.onMember("g0.invocation-id", l.o, "invocation_id")
	}
	return ""
}

func (l *linter) outcome() {
	outcome := l.o.member("outcome")
	if outcome == nil {
		l.onMember("g0.outcome", l.o, "outcome")
		return
	}
	l.status, _ = outcome.text("status")
	if !statuses[l.status] {
		l.onMember("g0.status", outcome, "status", nm("outcome"))
	}
}

// payload holds the payload to its shape and collects its references.
func (l *linter) payload() {
	given, present := l.o.get("payload")
	if !present {
		return
	}
	at := nm("payload")
	payload, ok := given.(*object)
	if !ok {
		l.onPlace("g0.payload", at)
	} else {
		if class, _ := payload.text("schema_class"); class == "" {
			l.onMember("g0.schema-class", payload, "schema_class", at)
		}
		if !payload.has("grounded_on") {
			l.onPlace("g0.grounded-on-missing", at)
		}
	}
	l.walk(given, []step{at})
}

// walk finds the references at any depth, in document order and not inside one
// (lint.references).
func (l *linter) walk(v value, path []step) {
	switch x := v.(type) {
	case []value:
		for i, e := range x {
			l.walk(e, append(path, ix(i)))
		}
	case *object:
		for i, name := range x.names {
			if inner := append(path, nm(name)); name == "grounded_on" {
				l.references(x.values[i], inner)
			} else {
				l.walk(x.values[i], inner)
			}
		}
	}
}

// references reads one grounded_on (envelope.reference).
func (l *linter) references(v value, path []step) {
	list, ok := v.([]value)
	if !ok {
		l.onPlace("g0.malformed-references", path...)
		return
	}
	for i, e := range list {
		o, _ := e.(*object)
		id, _ := o.text("source_id")
		hash, _ := o.get("content_hash")
		if id == "" || !isDigest(hash) || len(o.names) != 2 {
			l.onPlace("g0.malformed-references", append(path, ix(i))...)
			continue
		}
		own := append(append(make([]step, 0, len(path)+1), path...), ix(i))
		l.refs = append(l.refs, reference{pair{id, hash.(string)}, own})
	}
}

// members walks a list of the envelope: bad is told of what is no list and of
// each element that good refuses.
func (l *linter) members(name string, bad func(path ...step), good func(int, value) bool) {
	list, ok := l.o.list(name)
	if l.o.has(name) && !ok {
		bad(nm(name))
	}
	for i, v := range list {
		if !good(i, v) {
			bad(nm(name), ix(i))
		}
	}
}

// collect keeps the elements of a list of the envelope that are of a class.
func (l *linter) collect(name string, holds func(value) bool, into *[]record, bad func(path ...step)) {
	l.members(name, bad, func(i int, v value) bool {
		ok := holds(v)
		if ok {
			*into = append(*into, record{i, v.(*object)})
		}
		return ok
	})
}

func (l *linter) evidenceItems() {
	bad := func(path ...step) { l.onPlace("g0.evidence", path...) }
	seen := map[pair]bool{}
	l.members("evidence", bad, func(i int, v value) bool {
		one, ok := asItem(i, v)
		if !ok {
			return false
		}
		if seen[one.pair()] {
			l.onPlace("g0.duplicate-evidence", nm("evidence"), ix(i))
		}
		seen[one.pair()] = true
		l.items = append(l.items, one)
		return true
	})
}

// delegations collects the well-formed delegations.
func (l *linter) delegations(told bool) {
	if l.o == nil {
		return
	}
	bad := func(path ...step) {
		if told {
			l.onPlace("g0.delegations", path...)
		}
	}
	l.collect("delegations", l.all.delegation.holds, &l.children, bad)
}

func (l *linter) retrievals() {
	bad := func(path ...step) { l.onPlace("g0.retrievals", path...) }
	l.collect("retrievals", l.all.record.holds, &l.records, bad)
}

// withheldContent is g0.withheld.
func (l *linter) withheldContent() {
	kind, _ := l.o.member("problem").text("type")
	if l.status != "failed" || !strings.HasSuffix(kind, "grounding-violation") {
		return
	}
	list, ok := l.o.list("evidence")
	if l.o.has("payload") || l.o.has("evidence") && (!ok || len(list) > 0) {
		l.onPlace("g0.withheld-content")
	}
}

// --- E1 ---

func (l *linter) judgeEvidence() {
	for _, i := range l.items {
		base := []step{nm("evidence"), ix(i.index)}
		findings, notes := judgeItem(i)
		for _, f := range findings {
			l.onPlace(f.code, append(base, f.path...)...)
		}
		if _, there := i.content(); !there {
			l.note("note.legacy-no-content", l.place(base))
		}
		for _, n := range notes {
			l.note(n.code, l.place(append(base, n.path...)))
		}
	}
}

// --- the rules of the modes ---

func (l *linter) judgeMode() {
	switch l.mode {
	case "retrieval":
		l.g1()
		l.retrievedAlone()
		l.g4()
	case "input_only", "none":
		l.r1()
		l.r2r3()
		if l.mode == "none" {
			l.n1()
		}
	case "delegation":
		l.g4()
		l.r1()
		l.d1d2d3()
	case "brokered":
		l.g1()
		l.g4()
		l.b1b2b3()
		l.b4()
	}
}

func (l *linter) onReference(code string, r reference) { l.onPlace(code, r.path...) }

func (l *linter) onItem(code string, i *item) { l.onPlace(code, nm("evidence"), ix(i.index)) }

// restsOnNothing tells of a success whose payload holds no reference.
func (l *linter) restsOnNothing(code string, rests bool) {
	if l.status == "succeeded" && !rests {
		l.onMember(code, l.o, "payload")
	}
}

func (l *linter) isCall(s *span) bool { return l.profile.models[l.profile.operation(s)] }

// end is when something was retrieved, and by which span.
type end struct {
	time int64
	span string
	self int
}

// ends keeps the first end, and the first that is of another span than it.
type ends struct{ first, second *end }

func (e *ends) add(n end, same func(a, b end) bool) {
	switch {
	case e.first == nil:
		e.first = &n
	case n.time < e.first.time:
		if !same(*e.first, n) {
			e.second = e.first
		}
		e.first = &n
	case !same(*e.first, n) && (e.second == nil || n.time < e.second.time):
		e.second = &n
	}
}

// g1 is g1.retrieved-first.
func (l *linter) g1() {
	same := func(a, b end) bool { return a.self == b.self }
	skew := int64(0)
	var found ends
	if l.mode == "brokered" {
		same = func(a, b end) bool { return a.span == b.span }
		skew, _ = skewOf(l.top)
		for _, r := range l.records {
			if r.say("status") == "ok" {
				found.add(end{r.time("ended_at"), r.say("span_id"), -1}, same)
			}
		}
	} else {
		for i, s := range l.spans {
			if d := l.declares[i]; d != nil && len(d.pairs) > 0 && s.ends {
				found.add(end{s.end.micros(), s.id, i}, same)
			}
		}
	}
	for i, s := range l.spans {
		if !l.isCall(s) {
			continue
		}
		earliest := found.first
		if earliest != nil && same(*earliest, end{0, s.id, i}) {
			earliest = found.second
		}
		if earliest == nil || !s.starts {
			l.onSpan("g1.call-before-retrieval", s)
			continue
		}
		switch early := earliest.time - s.start.micros(); {
		case early == 0:
			l.note("note.tie", s.spot())
		case early > skew:
			l.onSpan("g1.call-before-retrieval", s)
		case early > 0:
			l.note("note.clock-skew", s.spot())
		}
	}
}

// retrievedAlone is g2.references-retrieved and g3.evidence-retrieved.
func (l *linter) retrievedAlone() {
	retrieved := map[pair]bool{}
	for _, d := range l.declares {
		if d != nil {
			for p := range d.pairs {
				retrieved[p] = true
			}
		}
	}
	for _, r := range l.refs {
		if !retrieved[r.pair] {
			l.onReference("g2.not-retrieved", r)
		}
	}
	l.restsOnNothing("g2.rests-on-nothing", len(l.refs) > 0)
	for _, i := range l.items {
		if !retrieved[i.pair()] {
			l.onItem("g3.not-retrieved", i)
		}
	}
}

// g4 is g4.references-in-evidence.
func (l *linter) g4() {
	inEvidence := map[pair]bool{}
	for _, i := range l.items {
		inEvidence[i.pair()] = true
	}
	for _, r := range l.refs {
		if !inEvidence[r.pair] {
			l.onReference("g4.not-in-evidence", r)
		}
	}
}

// r1 is r1.no-retrieval.
func (l *linter) r1() {
	for i, s := range l.spans {
		if l.declares[i] != nil {
			l.onSpan("r1.retrieval", s)
		}
	}
}

// input returns how the input is cited, where anything can cite it.
func (l *linter) input() (cited pair, name string, ok bool) {
	if l.top == nil || l.id == "" {
		return pair{}, "", false
	}
	hash, _ := l.top.attributes.get("dd.input_hash")
	if !isDigest(hash) {
		return pair{}, "", false
	}
	return pair{"input:" + l.id, hash.(string)}, inputNameOf(l.top), true
}

// inputNameOf is the root's input canonicalisation, the default where it is
// absent or malformed.
func inputNameOf(root *span) string {
	if name, _ := root.attributes.text("dd.input_canonicalisation"); isInputName(name) {
		return name
	}
	return inputName
}

// r2r3 is r2.input-alone and r3.input-cited.
func (l *linter) r2r3() {
	input, name, ok := l.input()
	for _, r := range l.refs {
		if !ok || r.pair != input {
			l.onReference("r2.reference", r)
		}
	}
	cited := false
	for _, i := range l.items {
		if ok && i.pair() == input && i.name == name {
			cited = true
		} else {
			l.onItem("r2.evidence", i)
		}
	}
	l.citesInput("r3", cited)
}

// citesInput is what R3 and D3 ask of a success.
func (l *linter) citesInput(rule string, cited bool) {
	if l.status == "succeeded" && !cited {
		l.onMember(rule+".input-not-cited", l.o, "evidence")
	}
	l.restsOnNothing(rule+".rests-on-nothing", len(l.refs) > 0)
}

// n1 is n1.no-model-call.
func (l *linter) n1() {
	for _, s := range l.spans {
		if l.isCall(s) || l.profile.embedding[l.profile.operation(s)] {
			l.onSpan("n1.model-call", s)
		}
	}
}

// childName is the canonicalisation of a delegation.
func childName(r record) string {
	if name := r.say("canonicalisation"); name != "" {
		return name
	}
	return envelopeName
}

func childPair(r record) pair {
	return pair{"invocation:" + r.say("delegated_invocation_id"), r.say("content_hash")}
}

// d1d2d3 is d1.references-delegated, d2.evidence-delegated and d3.input-cited.
func (l *linter) d1d2d3() {
	input, name, ok := l.input()
	type named struct {
		pair
		name string
	}
	children, exact := map[pair]bool{}, map[named]bool{}
	for _, r := range l.children {
		children[childPair(r)] = true
		exact[named{childPair(r), childName(r)}] = true
	}
	for _, r := range l.refs {
		if !(ok && r.pair == input) && !children[r.pair] {
			l.onReference("d1.reference", r)
		}
	}
	cited := false
	for _, i := range l.items {
		if ok && i.pair() == input && i.name == name {
			cited = true
		} else if !exact[named{i.pair(), i.name}] {
			l.onItem("d2.evidence", i)
		}
	}
	l.citesInput("d3", cited)
}

// b1b2b3 is b1.references-recorded, b2.evidence-recorded and
// b3.rests-on-record.
func (l *linter) b1b2b3() {
	recorded, exact := map[pair]bool{}, map[[4]string]bool{}
	for _, r := range l.records {
		if r.say("status") == "ok" {
			p := pair{r.say("source_id"), r.say("content_hash")}
			recorded[p] = true
			exact[[4]string{p.id, p.hash, r.say("canonicalisation"), r.say("snapshot_ref")}] = true
		}
	}
	rests := false
	for _, r := range l.refs {
		if recorded[r.pair] {
			rests = true
		} else {
			l.onReference("b1.reference", r)
		}
	}
	for _, i := range l.items {
		if !exact[[4]string{i.id, i.hash, i.name, i.snapshot}] {
			l.onItem("b2.evidence", i)
		}
	}
	l.restsOnNothing("b3.rests-on-no-record", rests)
}

// b4 is b4.spans-and-records.
func (l *linter) b4() {
	own := map[string]*span{} // the first retrieval span of each id
	for i, s := range l.spans {
		if l.declares[i] != nil && s.id != "" && own[s.id] == nil {
			own[s.id] = s
		}
	}
	taken := map[string]bool{}
	for _, r := range l.records {
		id := r.say("span_id")
		s := own[id]
		if s == nil || taken[id] {
			l.onPlace("b4.record-without-span", nm("retrievals"), ix(r.index))
			continue
		}
		taken[id] = true
		if !l.agrees(r, s) {
			l.onPlace("b4.record-differs", nm("retrievals"), ix(r.index))
		}
	}
	for i, s := range l.spans {
		if l.declares[i] != nil && !(own[s.id] == s && taken[s.id]) {
			l.onSpan("b4.span-without-record", s)
		}
	}
}

// agrees compares a record with its span in pair and times.
func (l *linter) agrees(r record, s *span) bool {
	declared, want := l.declares[s.index].pairs, 0
	if r.say("status") == "ok" {
		want = 1
		if !declared[pair{r.say("source_id"), r.say("content_hash")}] {
			return false
		}
	}
	skew, _ := skewOf(l.top)
	near := func(t instant, known bool, member string) bool {
		d := t.micros() - r.time(member)
		return known && max(d, -d) <= skew
	}
	return len(declared) == want && near(s.start, s.starts, "started_at") && near(s.end, s.ends, "ended_at")
}

// --- notes ---

// judgeNotes is lint.notes, apart from those that E1 and G1 tell themselves.
func (l *linter) judgeNotes() {
	for i, s := range l.spans {
		if l.top != nil && s != l.top && l.outsideRoot(s) {
			l.note("note.outside-root-interval", s.spot())
		}
		if s == l.top && s.parent != "" && l.byID[s.parent] == nil {
			l.note("note.root-has-parent", s.spot())
		}
		if d := l.declares[i]; d != nil && d.empty {
			l.note("note.empty-retrieval", s.spot())
		}
		if d := l.declares[i]; d != nil && d.hashless {
			l.note("note.document-without-hash", s.spot())
		}
		if l.profile.unclassified(s) {
			l.note("note.unclassified-call", s.spot())
		}
	}
	l.noteChildren()
}

// outsideRoot says whether a span starts before the root or ends after it, in
// rule time, as far as the times are known.
func (l *linter) outsideRoot(s *span) bool {
	return s.starts && l.top.starts && s.start.micros() < l.top.start.micros() ||
		s.ends && l.top.ends && s.end.micros() > l.top.end.micros()
}

// noteChildren tells of cited child runs that did not succeed.
func (l *linter) noteChildren() {
	if len(l.children) == 0 {
		return
	}
	cited := map[pair]bool{}
	for _, r := range l.refs {
		cited[r.pair] = true
	}
	for _, i := range l.items {
		cited[i.pair()] = true
	}
	for _, r := range l.children {
		if cited[childPair(r)] && r.say("delegated_status") != "succeeded" {
			l.note("note.child-not-succeeded", l.place([]step{nm("delegations"), ix(r.index)}))
		}
	}
}

// --- the verdict ---

// findings lists what was found in the order of lint.order.
func (l *linter) findings() []finding {
	var out []finding
	for _, rule := range lintRules {
		out = append(out, l.listed(rule)...)
	}
	return out
}

// word is lint.verdict.
func (l *linter) word() string {
	switch {
	case l.withheld:
		return "withheld"
	case len(l.kept) > 0:
		return "failed"
	}
	return "passed"
}

func textOrNull(s string) value {
	if s == "" {
		return nil
	}
	return s
}

// dataOf lists findings as data; no findings are an empty list.
func dataOf(list []finding) []value {
	out := make([]value, 0, len(list))
	for _, f := range list {
		out = append(out, f.data())
	}
	return out
}

// judgedHash is verdicts.judged.
func judgedHash(envelope value) string { return digest(pyjson(envelope)) }

// verdict is verdicts.grounding.
func (l *linter) verdict() *object {
	retrievals, calls := 0, 0
	for i, s := range l.spans {
		if l.declares[i] != nil {
			retrievals++
		}
		if l.isCall(s) || l.profile.embedding[l.profile.operation(s)] {
			calls++
		}
	}
	omitted := l.omitted()
	if l.noted > findingLimit {
		omitted.add("note", number(l.noted-findingLimit))
	}
	return newObject(
		"format", "grounding/1", "invocation_id", textOrNull(l.id), "judged_hash", judgedHash(l.root),
		"mode", textOrNull(l.mode), "profile", l.profile.id, "status", l.word(),
		"counts", newObject("retrieval", number(retrievals), "model_call", number(calls), "delegation", number(len(l.children))),
		"findings", dataOf(l.findings()), "notes", dataOf(l.notes), "omitted", omitted,
	)
}

// answerLint answers the kind lint. Spans are read before the envelope.
func answerLint(all *schemas, in inputs) value {
	option, chosen := in["profile"]
	if chosen && profiles[string(option)] == nil {
		return refuseAt("usage", "usage.unknown-profile").answer()
	}
	spans, no := readTrace(in["spans"])
	if no != nil {
		return no.answer()
	}
	envelope, no := read(in["envelope"])
	if no != nil {
		return no.answer()
	}
	l := lint(all, spans, envelope, string(option))
	findings := []value{}
	for _, f := range l.findings() {
		findings = append(findings, newObject("code", f.code, "at", f.at()))
	}
	verdict := map[string]string{"passed": "pass", "failed": "fail", "withheld": "withheld"}[l.word()]
	return newObject("verdict", verdict, "mode", textOrNull(l.mode), "profile", l.profile.id,
		"codes", texts(sortedNames(l.codes())), "notes", texts(sortedNames(l.noteSet)), "findings", findings)
}

// ---------------------------------------------------------------------------
// Source check (spec/sources.md)
// ---------------------------------------------------------------------------

// copyOf is one entry of the list of copies, proven and read where it has a
// path.
type copyOf struct {
	refs    []string
	sha256  string
	fetched bool
	records map[string]value // by id
	hashes  map[pair]hashed  // of a record, by its id and a name
}

// hashed is a hash that was computed, or why there is none.
type hashed struct {
	hash string
	no   *refusal
}

// hashOf hashes a record under a name, once however often it is cited.
func (c *copyOf) hashOf(id, name string) (string, *refusal) {
	h, done := c.hashes[pair{id, name}]
	if !done {
		h.hash, h.no = hashUnder(c.records[id], name)
		c.hashes[pair{id, name}] = h
	}
	return h.hash, h.no
}

// copies is a list of copies that was not refused.
type copies struct {
	list                            []*copyOf
	byRef                           map[string]*copyOf
	requireContent, requireResolved bool
}

func unusable(code string) *refusal { return refuseAt("configuration", code) }

// readCopies reads the list and its copies, which are inputs by their paths.
// One refusal is told, in the order of sources.refusals.
func readCopies(all *schemas, in inputs) (*copies, *refusal) {
	c := &copies{byRef: map[string]*copyOf{}}
	octets, listed := in["config"]
	if !listed {
		return c, nil
	}
	document, no := read(octets)
	if no != nil {
		return nil, no
	}
	if !all.copies.holds(document) { // sources.config
		return nil, unusable("config.schema")
	}
	o := document.(*object)
	entries, _ := o.list("sources")
	for _, e := range entries {
		if !c.enter(e.(*object)) { // sources.references-once
			return nil, unusable("config.duplicate-reference")
		}
	}
	for _, e := range entries {
		if path, _ := e.(*object).text("path"); leavesFolder(path) { // sources.paths
			return nil, unusable("config.path-outside")
		}
	}
	for i, e := range entries {
		if no := c.list[i].load(e.(*object), in); no != nil {
			return nil, no
		}
	}
	content, _ := o.member("profile").get("require_content")
	resolved, _ := o.member("profile").get("require_resolved")
	c.requireContent, c.requireResolved = content == true, resolved == true
	return c, nil
}

// enter adds an entry, unless one of its references is listed already.
func (c *copies) enter(entry *object) bool {
	one := &copyOf{}
	one.sha256, _ = entry.text("sha256")
	refs, _ := entry.list("snapshot_refs")
	for _, r := range refs {
		ref := r.(string)
		if c.byRef[ref] != nil {
			return false
		}
		c.byRef[ref] = one
		one.refs = append(one.refs, ref)
	}
	c.list = append(c.list, one)
	return true
}

func leavesFolder(path string) bool {
	if strings.HasPrefix(path, "/") {
		return false
	}
	for _, part := range strings.Split(path, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// load proves and reads the copy of an entry that has a path (sources.pin).
func (c *copyOf) load(entry *object, in inputs) *refusal {
	path, ok := entry.text("path")
	if !ok {
		return nil
	}
	octets, there := in[path]
	if !there {
		return unusable("config.copy-missing")
	}
	if limit, ok := entry.get("bytes"); ok && float64(len(octets)) > asDouble(limit) {
		return unusable("config.copy-too-long")
	}
	if digest(octets) != c.sha256 {
		return unusable("config.pin-mismatch")
	}
	c.fetched = true
	field, _ := entry.text("id_field")
	return c.read(octets, field)
}

// read is sources.form and sources.records.
func (c *copyOf) read(octets []byte, field string) *refusal {
	var records []value
	if bytes.HasPrefix(bytes.TrimLeft(octets, " \t\r\n"), []byte("[")) {
		array, no := read(octets)
		if no != nil {
			return unusable("config.record-unreadable")
		}
		records = array.([]value)
		for _, r := range records {
			if _, ok := idOf(r, field); !ok {
				return unusable("config.record-id")
			}
		}
	} else {
		for _, line := range lines(octets) {
			record, no := read(line)
			if no != nil {
				return unusable("config.record-unreadable")
			}
			if _, ok := idOf(record, field); !ok {
				return unusable("config.record-id")
			}
			records = append(records, record)
		}
	}
	if len(records) == 0 {
		return unusable("config.no-record")
	}
	c.records, c.hashes = make(map[string]value, len(records)), map[pair]hashed{}
	for _, r := range records {
		id, _ := idOf(r, field)
		if _, twice := c.records[id]; twice {
			return unusable("config.duplicate-id")
		}
		c.records[id] = r
	}
	return nil
}

func idOf(record value, field string) (string, bool) {
	o, _ := record.(*object)
	return o.text(field)
}

// unresolved is an item that nobody checked, and why.
type unresolved struct {
	ref, snapshot string
	why           string
}

// sourceCheck judges the evidence of one envelope.
type sourceCheck struct {
	root           value
	copies         *copies
	requireContent bool
	skips          bool // sources.skipped applies
	violations     []finding
	count          map[string]int // of violations, by rule
	codes          map[string]bool
	verified       []string
	unresolved     []unresolved
	skipped        []string
	named          map[string]bool // references that items name
}

// checkSources judges an envelope by a list; requireContent makes S3 a rule.
func checkSources(root value, c *copies, requireContent bool) *sourceCheck {
	s := &sourceCheck{root: root, copies: c, requireContent: requireContent,
		count: map[string]int{}, codes: map[string]bool{}, named: map[string]bool{}}
	o, ok := root.(*object)
	if !ok {
		s.violate("s1.malformed")
		return s
	}
	list, isList := o.list("evidence")
	if o.has("evidence") && !isList {
		s.violate("s1.malformed", nm("evidence"))
		return s
	}
	mode, _ := o.text("grounding_mode")
	s.skips = mode == "input_only" || mode == "none" || mode == "delegation"
	for n, v := range list {
		if i, ok := asItem(n, v); ok {
			s.item(i)
		} else {
			s.violate("s1.malformed", nm("evidence"), ix(n))
		}
	}
	return s
}

// violate tells a violation; those of a rule past the limit are counted.
func (s *sourceCheck) violate(code string, path ...step) {
	prefix, _, _ := strings.Cut(code, ".")
	rule := strings.ToUpper(prefix)
	s.codes[code] = true
	if s.count[rule]++; s.count[rule] <= findingLimit {
		s.violations = append(s.violations, finding{rule, code, spot{kind: ofDocument, path: path}})
	}
}

// item judges one item by itself.
func (s *sourceCheck) item(i *item) {
	if s.skips && (strings.HasPrefix(i.id, "input:") || strings.HasPrefix(i.id, "invocation:")) {
		s.skipped = append(s.skipped, i.id)
	} else {
		s.lookUp(i)
	}
	if _, there := i.content(); !there && s.requireContent { // s3.content-carried
		s.violate("s3.content-missing", nm("evidence"), ix(i.index))
	}
}

// lookUp is sources.unresolved, S1 and S2.
func (s *sourceCheck) lookUp(i *item) {
	why := ""
	c := s.copies.byRef[i.snapshot]
	switch {
	case i.snapshot == "":
		why = "no-snapshot-ref"
	case c == nil:
		why = "not-listed"
	case !c.fetched:
		why = "not-fetched"
	}
	if why != "" {
		s.unresolved = append(s.unresolved, unresolved{i.id, i.snapshot, why})
		return
	}
	s.named[i.snapshot] = true
	faults := judgeRecord(i, c)
	for _, f := range faults {
		s.violate(f.code, append([]step{nm("evidence"), ix(i.index)}, f.path...)...)
	}
	if len(faults) == 0 {
		s.verified = append(s.verified, i.id)
	}
}

// judgeRecord is s1.record-held, s2.record-hashes, s2.covered and
// s2.content-shown, with places inside the item.
func judgeRecord(i *item, c *copyOf) []shown {
	held, there := c.records[i.id]
	if !there {
		return []shown{{"s1.record-missing", nil}}
	}
	name := registered[i.name]
	if name == nil {
		return []shown{{"s2.unknown-canonicalisation", []step{nm("canonicalisation")}}}
	}
	hash, no := c.hashOf(i.id, i.name)
	if no != nil {
		return []shown{{"s2.outside-domain", nil}}
	}
	if hash != i.hash {
		return []shown{{"s2.hash-differs", nil}}
	}
	var faults []shown
	if name.members != nil && len(only(held.(*object), name.members).names) == 0 {
		faults = append(faults, shown{"s2.nothing-covered", nil})
	}
	if findings, _ := judgeItem(i); len(findings) > 0 {
		faults = append(faults, shown{"s2.content-differs", []step{nm("content")}})
	}
	return faults
}

// status is sources.verdict.
func (s *sourceCheck) status() string {
	return sourceStatus(len(s.violations), len(s.unresolved), len(s.verified))
}

func sourceStatus(violations, unresolved, verified int) string {
	switch {
	case violations > 0:
		return "failed"
	case unresolved > 0:
		return "unresolved"
	case verified > 0:
		return "verified"
	}
	return "nothing-to-check"
}

// consulted names the copies that were consulted (verdicts.sources).
func (s *sourceCheck) consulted() []value {
	out := []value{}
	for _, c := range s.copies.list {
		refs := []value{}
		for _, ref := range c.refs {
			if s.named[ref] {
				refs = append(refs, ref)
			}
		}
		if c.fetched && len(refs) > 0 {
			out = append(out, newObject("snapshot_refs", refs, "sha256", c.sha256))
		}
	}
	return out
}

func (s *sourceCheck) unresolvedData() []value {
	out := []value{}
	for _, u := range s.unresolved {
		out = append(out, newObject("ref", u.ref, "snapshot_ref", textOrNull(u.snapshot), "why", u.why))
	}
	return out
}

// verdict is verdicts.sources.
func (s *sourceCheck) verdict(requireResolved bool) *object {
	omitted := &object{}
	for _, rule := range []string{"S1", "S2", "S3"} {
		if n := s.count[rule]; n > findingLimit {
			omitted.add(rule, number(n-findingLimit))
		}
	}
	return newObject(
		"format", "sources/1", "judged_hash", judgedHash(s.root), "status", s.status(),
		"profile", newObject("require_content", s.requireContent, "require_resolved", requireResolved),
		"copies", s.consulted(), "verified", texts(s.verified), "unresolved", s.unresolvedData(),
		"violations", dataOf(s.violations), "skipped", texts(s.skipped), "omitted", omitted,
	)
}

// answerSources answers the kind sources. The list and its copies are read
// before the envelope.
func answerSources(all *schemas, in inputs) value {
	c, no := readCopies(all, in)
	if no != nil {
		return no.answer()
	}
	envelope, no := read(in["envelope"])
	if no != nil {
		return no.answer()
	}
	s := checkSources(envelope, c, c.requireContent)
	verdict := map[string]string{"verified": "pass", "failed": "fail"}[s.status()]
	if verdict == "" {
		verdict = "unchecked"
	}
	findings := []value{}
	for _, f := range s.violations {
		findings = append(findings, newObject("code", f.code, "pointer", pointer(f.path)))
	}
	return newObject("verdict", verdict, "status", s.status(), "codes", texts(sortedNames(s.codes)),
		"verified", texts(s.verified), "unresolved", s.unresolvedData(), "skipped", texts(s.skipped),
		"copies", s.consulted(), "findings", findings)
}

// ---------------------------------------------------------------------------
// Gate (spec/gate.md)
// ---------------------------------------------------------------------------

const (
	gateWords  = "This result was withheld: "
	gateType   = "urn:groundrules:problem:grounding-violation"
	gateReason = "grounding-violation"
)

// codesListed is the set of the codes that a verdict lists.
func codesListed(verdict *object, member string) string {
	set := map[string]bool{}
	list, _ := verdict.list(member)
	for _, f := range list {
		o, _ := f.(*object)
		code, _ := o.text("code")
		set[code] = true
	}
	return strings.Join(sortedNames(set), ", ")
}

// gateReasons gives the reasons of gate.statement, or none where the gate does
// not act (gate.acts-on). Both verdicts are data.
func gateReasons(grounding, sources *object) string {
	var reasons []string
	switch status, _ := grounding.text("status"); status {
	case "passed", "withheld":
	case "unchecked":
		reasons = append(reasons, "grounding was not checked")
	default:
		reasons = append(reasons, "grounding failed ("+codesListed(grounding, "findings")+")")
	}
	if status, _ := sources.text("status"); status == "failed" {
		reasons = append(reasons, "sources failed ("+codesListed(sources, "violations")+")")
	}
	return strings.Join(reasons, "; ")
}

// gateKeeps is gate.kept.
var gateKeeps = strings.Fields(`invocation_id agent_id agent_version completed_at grounding_mode requires_human_review
	conversation_id parent_invocation_id telemetry delegations retrievals policy_bundle_ref policy_digest acting_for
	contract_version input_schema`)

// gateKeepsOf is what is kept of members that are open.
var gateKeepsOf = map[string][]string{
	"telemetry":  strings.Fields("trace_id model_id input_tokens output_tokens"),
	"acting_for": strings.Fields("principal_id name principal_kind assurance"),
}

// gated makes the envelope that may be stored, for the reasons given.
func gated(all *schemas, o *object, reasons string) *object {
	out := &object{}
	for _, name := range gateKeeps {
		v, there := o.get(name)
		if !there || !all.envelope.properties[name].holds(v) {
			continue
		}
		if inner := gateKeepsOf[name]; inner != nil {
			v = only(v.(*object), inner)
		}
		out.add(name, v)
	}
	status, _ := o.member("outcome").text("status") // gate.status
	if !statuses[status] || status == "succeeded" {
		status = "failed"
	}
	outcome := newObject("status", status, "statement", gateWords+reasons+".") // gate.outcome
	if status == "abstained" || status == "referred" {
		outcome.add("reason_code", gateReason)
	} else { // gate.problem
		out.add("problem", newObject("type", gateType, "title", "Grounding violation", "detail", reasons+"."))
	}
	if status == "referred" {
		outcome.add("referred_to", "withheld")
	}
	out.add("outcome", outcome)
	out.add("evidence", []value{})
	return out
}

// only keeps the members of these names.
func only(o *object, names []string) *object {
	out := &object{}
	for _, name := range names {
		if v, ok := o.get(name); ok {
			out.add(name, v)
		}
	}
	return out
}

// answerGate answers the kind gate. The list is read first, then the spans,
// then the envelope.
func answerGate(all *schemas, in inputs) value {
	c, no := readCopies(all, in)
	if no != nil {
		return no.answer()
	}
	spans, no := readTrace(in["spans"])
	if no != nil {
		return no.answer()
	}
	envelope, no := read(in["envelope"])
	if no != nil {
		return no.answer()
	}
	o, ok := envelope.(*object)
	if !ok {
		return refuseAt("schema", "schema.envelope").answer()
	}
	grounding := lint(all, spans, envelope, "").verdict()
	sources := checkSources(envelope, c, c.requireContent).verdict(c.requireResolved)
	verdict := "pass"
	if reasons := gateReasons(grounding, sources); reasons != "" {
		verdict, o = "withheld", gated(all, o, reasons)
	}
	octets := pyjson(o)
	return newObject("verdict", verdict, "canonical_b64", base64.StdEncoding.EncodeToString(octets), "digest", digest(octets))
}

// ---------------------------------------------------------------------------
// Verdicts as text (spec/verdicts.md)
// ---------------------------------------------------------------------------

// groundingHead is the head line of a grounding verdict (verdicts.text).
func groundingHead(v *object) string {
	status, _ := v.text("status")
	if status == "failed" {
		status = "FAILED"
	}
	mode, ok := v.text("mode")
	if !ok {
		mode = "no mode"
	}
	return "grounding: " + status + " [" + mode + "]"
}

// sourcesHead is the head line of a source verdict, without the ids.
func sourcesHead(v *object) string {
	status, _ := v.text("status")
	if status == "unchecked" {
		return "sources: unchecked"
	}
	count := func(name string) int {
		list, _ := v.list(name)
		return len(list)
	}
	if count("verified")+count("unresolved")+count("violations") == 0 {
		return "sources: nothing to check"
	}
	var parts []string
	if status == "failed" {
		parts = append(parts, "FAILED")
	}
	for _, name := range []string{"verified", "unresolved", "skipped"} {
		if n := count(name); n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+name)
		}
	}
	return "sources: " + strings.Join(parts, ", ")
}

// ---------------------------------------------------------------------------
// Runs (spec/runs.md)
// ---------------------------------------------------------------------------

// runFiles are the files of a run and the inputs that hold them (runs.layout).
var runFiles = []struct{ input, file string }{
	{"request", "request.json"}, {"envelope", "envelope.json"}, {"spans", "spans.jsonl"},
	{"grounding", "grounding.json"}, {"grounding_text", "grounding.txt"},
	{"sources", "sources.json"}, {"sources_text", "sources.txt"},
}

// document is a file that was read; a nil document is not at hand.
type document struct {
	file string
	root value
}

// object returns the members of a document that is an object.
func (d *document) object() *object {
	if d == nil {
		return nil
	}
	o, _ := d.root.(*object)
	return o
}

// run verifies one stored run.
type run struct {
	all                                   *schemas
	in                                    inputs
	copies                                *copies
	request, envelope, grounding, sources *document
	spans                                 []*span
	missing, unreadable                   map[string]bool
	findings                              []finding
	count                                 map[string]int
	codes                                 map[string]bool
	root                                  *span
	rootKnown                             bool // there is a trace
	judged                                string
	contract                              *contract
	lint                                  *linter
	check                                 *sourceCheck
	left                                  bool // the envelope left the gate changed
}

// openRun reads the files of a run (runs.missing).
func openRun(all *schemas, in inputs, c *copies) *run {
	r := &run{all: all, in: in, copies: c, missing: map[string]bool{}, unreadable: map[string]bool{},
		count: map[string]int{}, codes: map[string]bool{}}
	for _, f := range runFiles {
		if _, ok := in[f.input]; !ok {
			r.missing[f.file] = true
		}
	}
	r.request, r.envelope = r.open("request", "request.json"), r.open("envelope", "envelope.json")
	r.grounding, r.sources = r.open("grounding", "grounding.json"), r.open("sources", "sources.json")
	if octets, ok := in["spans"]; ok {
		spans, no := readTrace(octets)
		if no != nil {
			r.unreadable["spans.jsonl"] = true
		} else {
			r.spans, r.rootKnown = spans, true
		}
	}
	return r
}

func (r *run) open(input, file string) *document {
	octets, ok := r.in[input]
	if !ok {
		return nil
	}
	root, no := read(octets)
	if no != nil {
		r.unreadable[file] = true
		return nil
	}
	return &document{file, root}
}

// judge computes the verdicts and holds the files to each other.
func (r *run) judge() {
	if r.envelope != nil {
		r.judged = judgedHash(r.envelope.root)
		r.contract = judgeContract(r.all, r.envelope.root)
		r.check = checkSources(r.envelope.root, r.copies, r.copies.requireContent)
	}
	if r.rootKnown {
		r.root, _ = profileOf(r.spans, "").rootOf(r.spans)
		if r.envelope != nil {
			r.lint = lint(r.all, r.spans, r.envelope.root, "")
		}
		r.rootParts()
	}
	r.i1()
	r.i2()
	r.i3()
	r.i4()
	r.d4()
}

func (r *run) add(rule, code string, at spot) {
	r.codes[code] = true
	if r.count[rule]++; r.count[rule] <= findingLimit {
		r.findings = append(r.findings, finding{rule, code, at})
	}
}

func (r *run) onFile(rule, code, file string, path ...step) {
	r.add(rule, code, spot{kind: ofDocument, file: file, path: append([]step{}, path...)})
}

// rootParts tells what is missing of the root.
func (r *run) rootParts() {
	if r.root == nil {
		r.missing["root"] = true
		return
	}
	if hash, _ := r.root.attributes.get("dd.input_hash"); !isDigest(hash) {
		r.missing["dd.input_hash"] = true
	}
	if !r.root.attributes.has("dd.outcome") {
		r.missing["dd.outcome"] = true
	}
}

// i1 is i1.request-shape and i1.input-hashes.
func (r *run) i1() {
	if r.request == nil {
		return
	}
	r.all.request.check(r.request.root, func(path []step) bool {
		r.onFile("I1", "i1.request-schema", r.request.file, path...)
		return true
	})
	input, there := r.request.object().get("input")
	if !there || r.root == nil || r.missing["dd.input_hash"] {
		return
	}
	want, _ := r.root.attributes.text("dd.input_hash")
	hash, no := hashUnder(input, inputNameOf(r.root))
	if no != nil {
		r.onFile("I1", "i1.outside-domain", r.request.file, nm("input"))
	} else if hash != want {
		r.onFile("I1", "i1.hash-differs", r.request.file, nm("input"))
	}
}

// claim is what one file says of an id.
type claim struct {
	v       value
	present bool
	at      spot
}

// says asks a document for a member, by its path.
func (d *document) says(path ...string) claim {
	var at []step
	o := d.object()
	for i, name := range path {
		at = append(at, nm(name))
		if i < len(path)-1 {
			o = o.member(name)
		}
	}
	v, present := o.get(path[len(path)-1])
	if d == nil {
		return claim{}
	}
	return claim{v, present, spot{kind: ofDocument, file: d.file, path: at}}
}

// rootSays asks the root for an attribute.
func (r *run) rootSays(name string) claim {
	if r.root == nil {
		return claim{}
	}
	v, present := r.root.attributes.get(name)
	return claim{v, present, r.root.spot()}
}

// i2 is i2.ids-agree.
func (r *run) i2() {
	for _, name := range []string{"invocation_id", "agent_id", "agent_version"} {
		code := "i2." + strings.ReplaceAll(name, "_", "-")
		r.agree(code, r.envelope.says(name), r.request.says(name), r.rootSays("dd."+name))
	}
	trace := claim{}
	if r.root != nil {
		trace = claim{r.root.trace, r.root.trace != "", r.root.spot()}
	}
	r.agree("i2.trace-id", r.envelope.says("telemetry", "trace_id"), trace)
	for _, name := range []string{"conversation_id", "parent_invocation_id"} {
		r.agree("i2.lineage", r.envelope.says(name), r.request.says(name))
	}
}

// agree compares every claim with the first that is present. What is no string
// agrees with nothing.
func (r *run) agree(code string, claims ...claim) {
	first := -1
	for i, c := range claims {
		if !c.present {
			continue
		}
		if first < 0 {
			first = i
			continue
		}
		a, isText := claims[first].v.(string)
		b, alsoText := c.v.(string)
		if !isText || !alsoText || a != b {
			r.add("I2", code, c.at)
		}
	}
}

// i3 is i3.outcome-agrees.
func (r *run) i3() {
	if r.root == nil || r.envelope == nil || r.missing["dd.outcome"] {
		return
	}
	o := r.envelope.object()
	status, _ := o.member("outcome").text("status")
	recorded, _ := r.root.attributes.text("dd.outcome")
	good := statuses[status] && recorded == status
	if isWithheld(o) { // the gate would have kept these
		_, isText := r.root.attributes.text("dd.outcome")
		good = isText && recorded != "abstained" && recorded != "referred" && recorded != "suspended"
	}
	if !good {
		r.add("I3", "i3.outcome", r.root.spot())
	}
}

// i4 is rule I4, in the order of its requirements.
func (r *run) i4() {
	grounding := r.stored(r.grounding, r.all.grounding)
	sources := r.stored(r.sources, r.all.sources)
	if r.envelope != nil {
		r.left = r.leftChanged(grounding, sources)
		r.judgedHashes(grounding, sources)
		if !r.left {
			r.recomputeGrounding(grounding)
			r.recomputeSources(sources)
		} else if grounding != nil && sources != nil {
			r.explained(grounding, sources)
		}
		if r.left && r.gateSpoke() {
			r.concealed("grounding.json", grounding)
			r.concealed("sources.json", sources)
		}
	}
	r.textAgrees("grounding_text", "grounding.txt", grounding, groundingHead)
	r.textAgrees("sources_text", "sources.txt", sources, sourcesHead)
}

// stored is i4.verdicts-shape: a stored verdict that is well-formed, or nil.
func (r *run) stored(d *document, shape *schema) *object {
	if d == nil {
		return nil
	}
	good := shape.check(d.root, func(path []step) bool {
		r.onFile("I4", "i4.malformed", d.file, path...)
		return false
	})
	if !good {
		return nil
	}
	return d.object()
}

// judgedStored says whether a stored verdict judged the stored envelope.
func (r *run) judgedStored(v *object) bool {
	hash, ok := v.text("judged_hash")
	return ok && hash == r.judged
}

// statement is the statement of the envelope.
func (r *run) statement() string {
	s, _ := r.envelope.object().member("outcome").text("statement")
	return s
}

// hasGateType says whether the envelope's problem has the gate's type.
func (r *run) hasGateType() bool {
	kind, _ := r.envelope.object().member("problem").text("type")
	return kind == gateType
}

// leftChanged says whether the envelope left the gate changed (i4.judged).
func (r *run) leftChanged(grounding, sources *object) bool {
	o := r.envelope.object()
	if isEmptied(o) && strings.HasPrefix(r.statement(), gateWords) {
		return true
	}
	another := grounding != nil && !r.judgedStored(grounding) || sources != nil && !r.judgedStored(sources)
	return isWithheld(o) && (r.hasGateType() || another)
}

// judgedHashes is i4.judged.
func (r *run) judgedHashes(grounding, sources *object) {
	for _, s := range []struct {
		v    *object
		file string
	}{{grounding, "grounding.json"}, {sources, "sources.json"}} {
		if s.v != nil && r.judgedStored(s.v) == r.left {
			r.onFile("I4", "i4.judged-hash", s.file, nm("judged_hash"))
		}
	}
	if r.left && grounding != nil && sources != nil && !r.judgedStored(grounding) && !r.judgedStored(sources) {
		a, _ := grounding.get("judged_hash")
		b, _ := sources.get("judged_hash")
		if a != b {
			r.onFile("I4", "i4.judged-hash", "sources.json", nm("judged_hash"))
		}
	}
}

// firstDifference returns the first member, in the order of the computed
// verdict, that differs. Members are compared in the form that shape gives them,
// by their pyjson octets: 1 and 1.0 are two values.
func firstDifference(stored, computed *object, shape func(name string, v value) value) (string, bool) {
	for i, name := range computed.names {
		v, _ := stored.get(name)
		if !bytes.Equal(pyjson(shape(name, v)), pyjson(shape(name, computed.values[i]))) {
			return name, true
		}
	}
	return "", false
}

// asCompared is how members of a verdict are compared: findings without their
// detail, notes as the set of their codes, omitted without the notes, and
// copies and their references in whatever order.
func asCompared(name string, v value) value {
	list, _ := v.([]value)
	switch name {
	case "findings", "violations":
		out := []value{}
		for _, f := range list {
			out = append(out, only(f.(*object), []string{"rule", "code", "at"}))
		}
		return out
	case "notes":
		set := map[string]bool{}
		for _, n := range list {
			code, _ := n.(*object).text("code")
			set[code] = true
		}
		return texts(sortedNames(set))
	case "omitted":
		out := &object{}
		o, _ := v.(*object)
		for i, rule := range o.names {
			if rule != "note" {
				out.add(rule, o.values[i])
			}
		}
		return out
	case "copies":
		return texts(sortedCopies(list))
	}
	return v
}

// sortedCopies writes consulted copies in an order of their own.
func sortedCopies(list []value) []string {
	out := []string{}
	for _, c := range list {
		refs, _ := c.(*object).list("snapshot_refs")
		names := []string{}
		for _, ref := range refs {
			names = append(names, ref.(string))
		}
		sort.Strings(names)
		sha, _ := c.(*object).text("sha256")
		out = append(out, string(pyjson(append(texts(names), sha))))
	}
	sort.Strings(out)
	return out
}

// recomputeGrounding is i4.recomputed for the grounding verdict.
func (r *run) recomputeGrounding(v *object) {
	if v == nil || r.lint == nil || !r.judgedStored(v) {
		return
	}
	option, _ := v.text("profile")
	if profiles[option] == nil {
		option = ""
	}
	computed := lint(r.all, r.spans, r.envelope.root, option).verdict()
	if name, differs := firstDifference(v, computed, asCompared); differs {
		r.onFile("I4", "i4.grounding-differs", "grounding.json", nm(name))
	}
}

// recomputeSources is i4.recomputed for the source verdict.
func (r *run) recomputeSources(v *object) {
	if v == nil || !r.judgedStored(v) {
		return
	}
	profile := v.member("profile")
	content, _ := profile.get("require_content")
	resolved, _ := profile.get("require_resolved")
	computed := checkSources(r.envelope.root, r.copies, content == true).verdict(resolved == true)
	named, _ := v.list("copies")
	consulted, _ := computed.list("copies")
	if !equalValues(texts(sortedCopies(named)), texts(sortedCopies(consulted))) {
		r.missing["copies"] = true
		computed = r.followsAlone(v, computed)
	}
	if name, differs := firstDifference(v, computed, asCompared); differs {
		r.onFile("I4", "i4.sources-differ", "sources.json", nm(name))
	}
}

// followsAlone is what can be said of a source verdict without its copies: the
// status that follows from its own lists, and what was skipped.
func (r *run) followsAlone(v, computed *object) *object {
	count := func(name string) int {
		list, _ := v.list(name)
		return len(list)
	}
	skipped, _ := computed.get("skipped")
	return newObject("status", sourceStatus(count("violations"), count("unresolved"), count("verified")), "skipped", skipped)
}

// explained is i4.explained.
func (r *run) explained(grounding, sources *object) {
	reasons := gateReasons(grounding, sources)
	if reasons == "" {
		r.onFile("I4", "i4.unexplained", "envelope.json", nm("outcome"))
		return
	}
	if !r.gateSpoke() {
		return
	}
	o := r.envelope.object()
	if r.statement() != gateWords+reasons+"." {
		r.onFile("I4", "i4.unexplained", "envelope.json", nm("outcome"), nm("statement"))
	} else if !bytes.Equal(pyjson(gated(r.all, o, reasons)), pyjson(o)) {
		r.onFile("I4", "i4.not-as-gated", "envelope.json")
	}
}

// gateSpoke says whether the envelope has the gate's words or its type.
func (r *run) gateSpoke() bool {
	return strings.HasPrefix(r.statement(), gateWords) || r.hasGateType()
}

// concealed is i4.concealed: a stored verdict is as verdicts.stored has it.
func (r *run) concealed(file string, v *object) {
	if v == nil {
		return
	}
	good := true
	for _, name := range []string{"findings", "notes", "violations"} {
		list, _ := v.list(name)
		for _, f := range list {
			good = good && r.all.isConcealed(f.(*object))
		}
	}
	if file == "sources.json" {
		good = good && idsConcealed(v)
	}
	if !good {
		r.onFile("I4", "i4.not-concealed", file)
	}
}

// isConcealed holds a finding or a note: the title of its code for a detail,
// and a place that says nothing in the agent's words.
func (all *schemas) isConcealed(f *object) bool {
	code, _ := f.text("code")
	detail, _ := f.text("detail")
	title, known := all.titles[code]
	at := f.member("at")
	place, _ := at.text("pointer")
	return known && detail == title && !at.has("file") && place == all.concealedPointer(place)
}

// concealedPointer keeps of a pointer the first step where the envelope's
// schema names it, and an index after a list of the envelope.
func (all *schemas) concealedPointer(place string) string {
	parts := strings.Split(place, "/")
	if len(parts) < 2 || parts[0] != "" || all.envelope.properties[parts[1]] == nil {
		return ""
	}
	kept := "/" + parts[1]
	if len(parts) > 2 && (kept == "/evidence" || kept == "/delegations" || kept == "/retrievals") && arrayIndex.MatchString(parts[2]) {
		kept += "/" + parts[2]
	}
	return kept
}

var arrayIndex = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

// idsConcealed says whether every source id and snapshot reference of a source
// verdict is a digest.
func idsConcealed(v *object) bool {
	good := true
	ids := func(list []value) {
		for _, e := range list {
			id, _ := e.(string)
			good = good && strings.HasPrefix(id, "sha256:") && isDigest(strings.TrimPrefix(id, "sha256:"))
		}
	}
	for _, name := range []string{"verified", "skipped"} {
		list, _ := v.list(name)
		ids(list)
	}
	copies, _ := v.list("copies")
	for _, c := range copies {
		refs, _ := c.(*object).list("snapshot_refs")
		ids(refs)
	}
	unresolved, _ := v.list("unresolved")
	for _, u := range unresolved {
		ref, _ := u.(*object).get("ref")
		snapshot, _ := u.(*object).get("snapshot_ref")
		ids([]value{ref})
		if snapshot != nil {
			ids([]value{snapshot})
		}
	}
	return good
}

// textAgrees is i4.text.
func (r *run) textAgrees(input, file string, v *object, head func(*object) string) {
	octets, ok := r.in[input]
	if !ok || v == nil {
		return
	}
	first, rest, _ := strings.Cut(string(octets), "\n")
	first, _, _ = strings.Cut(first, " (")
	good := first == head(v)
	for _, line := range strings.Split(rest, "\n") {
		good = good && (line == "" || strings.HasPrefix(line, "  "))
	}
	if !good {
		r.onFile("I4", "i4.text-differs", file)
	}
}

// d4 is d4.children.
func (r *run) d4() {
	o := r.envelope.object()
	list, _ := o.list("delegations")
	if len(list) == 0 {
		return
	}
	stored, _ := read(r.in["children"])
	children, _ := stored.(*object)
	own, _ := o.text("invocation_id")
	for i, v := range list {
		if !r.all.delegation.holds(v) {
			continue
		}
		d := record{i, v.(*object)}
		id := d.say("delegated_invocation_id")
		child, there := children.get(id)
		if !there {
			r.missing[id+"/envelope.json"] = true
			continue
		}
		for _, code := range judgeChild(d, child, own) {
			r.onFile("D4", code, "envelope.json", nm("delegations"), ix(i))
		}
	}
}

// judgeChild holds a stored child to its delegation.
func judgeChild(d record, child value, parent string) []string {
	hash, no := hashUnder(child, childName(d))
	if no != nil || hash != d.say("content_hash") {
		return []string{"d4.child-hash"}
	}
	var codes []string
	o, _ := child.(*object)
	if named, ok := o.text("parent_invocation_id"); !ok || named != parent {
		codes = append(codes, "d4.child-parent")
	}
	id, _ := o.text("invocation_id")
	agent, _ := o.text("agent_id")
	version, _ := o.text("agent_version")
	status, _ := o.member("outcome").text("status")
	if id != d.say("delegated_invocation_id") || agent != d.say("delegated_agent_id") ||
		version != d.say("delegated_agent_version") || status != d.say("delegated_status") {
		codes = append(codes, "d4.child-record")
	}
	return codes
}

// words are the four verdicts, never combined.
func (r *run) words() (contract, files, grounding, sources string) {
	contract, files, grounding, sources = "unchecked", "agree", "unchecked", "unchecked"
	if r.contract != nil {
		contract = "valid"
		if len(r.contract.kept) > 0 {
			contract = "invalid"
		}
		sources = r.check.status()
	}
	if len(r.findings) > 0 {
		files = "disagree"
	} else if len(r.missing)+len(r.unreadable) > 0 {
		files = "unchecked"
	}
	if r.lint != nil {
		grounding = r.lint.word()
		if r.left {
			grounding = "withheld"
		}
	}
	return contract, files, grounding, sources
}

// allCodes is the set of the codes of all four verdicts.
func (r *run) allCodes() []string {
	all := map[string]bool{}
	enter := func(codes map[string]bool) {
		for code := range codes {
			all[code] = true
		}
	}
	enter(r.codes)
	if r.contract != nil {
		enter(r.contract.codes())
		enter(r.check.codes)
	}
	if r.lint != nil && !r.left {
		enter(r.lint.codes())
	}
	return sortedNames(all)
}

// runVerdict stands for the exit code.
func runVerdict(contract, files, grounding, sources string) string {
	switch {
	case contract == "invalid" || files == "disagree" || grounding == "failed" || sources == "failed":
		return "fail"
	case grounding == "withheld":
		return "withheld"
	case contract == "unchecked" || files == "unchecked" || grounding == "unchecked" || sources == "unchecked":
		return "unchecked"
	}
	return "pass"
}

// answerRun answers the kind run.
func answerRun(all *schemas, in inputs) value {
	c, no := readCopies(all, in)
	if no != nil {
		return no.answer()
	}
	r := openRun(all, in, c)
	r.judge()
	contract, files, grounding, sources := r.words()
	findings := []value{}
	for _, f := range r.findings {
		findings = append(findings, newObject("code", f.code, "at", f.at()))
	}
	return newObject(
		"verdict", runVerdict(contract, files, grounding, sources),
		"words", newObject("contract", contract, "files", files, "grounding", grounding, "sources", sources),
		"codes", texts(r.allCodes()), "missing", texts(sortedNames(r.missing)),
		"unreadable", texts(sortedNames(r.unreadable)), "findings", findings,
	)
}

// ---------------------------------------------------------------------------
// The adapter protocol
// ---------------------------------------------------------------------------

// inputs are the named octets of a case.
type inputs map[string][]byte

// answer tells a refusal.
func (no *refusal) answer() value {
	return newObject("verdict", "fail", "stage", no.stage, "codes", []value{no.code})
}

// answerParse answers the kind parse.
func answerParse(in inputs) value {
	if _, no := read(in["document"]); no != nil {
		return no.answer()
	}
	return newObject("verdict", "pass")
}

// answerCanonicalise answers the kind canonicalise, with its stages.
func answerCanonicalise(in inputs) value {
	parsed, no := read(in["document"])
	if no != nil {
		return no.answer()
	}
	octets, projected, no := canonicalise(parsed, string(in["name"]))
	if no != nil {
		return no.answer()
	}
	b64 := base64.StdEncoding.EncodeToString
	stages := newObject("parsed_b64", b64(pyjson(parsed)), "projected_b64", b64(pyjson(projected)))
	return newObject("verdict", "pass", "canonical_b64", b64(octets), "digest", digest(octets), "stages", stages)
}

// answerNumbers answers the kind numbers (conformance.numbers): doubles are made
// of SHA-256 blocks, and those that are not finite or have no octets under the
// name are passed over.
func answerNumbers(in inputs) value {
	name := string(in["name"])
	n := registered[name]
	if n == nil {
		return refuseAt("project", "canon.unknown-name").answer()
	}
	count, err := strconv.Atoi(string(in["count"]))
	if err != nil || count < 0 {
		return refuseAt("usage", "usage.arguments").answer()
	}
	list := []value{}
	for i := 0; len(list) < count; i++ {
		block := sha256.Sum256([]byte(string(in["seed"]) + ":" + strconv.Itoa(i)))
		for k := 0; k < 32 && len(list) < count; k += 8 {
			x := math.Float64frombits(binary.BigEndian.Uint64(block[k:]))
			if !math.IsNaN(x) && !math.IsInf(x, 0) && !(n.safe && math.Abs(x) > safeLimit) {
				list = append(list, x)
			}
		}
	}
	hash, no := hashUnder(list, name)
	if no != nil {
		return no.answer()
	}
	return newObject("verdict", "pass", "digest", hash)
}

// kind is a kind of case: what it has to be given, and who answers it.
type kind struct {
	name   string
	needs  []string
	answer func(inputs) value
}

// kinds lists what can be answered; without the schemas that is the byte layer.
func kinds(all *schemas) []kind {
	out := []kind{
		{"parse", []string{"document"}, answerParse},
		{"canonicalise", []string{"document", "name"}, answerCanonicalise},
		{"numbers", []string{"name", "seed", "count"}, answerNumbers},
		{"evidence", []string{"envelope"}, answerEvidence},
	}
	if all == nil {
		return out
	}
	with := func(answer func(*schemas, inputs) value) func(inputs) value {
		return func(in inputs) value { return answer(all, in) }
	}
	return append(out,
		kind{"contract", []string{"envelope"}, with(answerContract)},
		kind{"lint", []string{"spans", "envelope"}, with(answerLint)},
		kind{"sources", []string{"envelope"}, with(answerSources)},
		kind{"gate", []string{"spans", "envelope"}, with(answerGate)},
		kind{"run", nil, with(answerRun)},
	)
}

// adapter speaks the protocol: one message a line, of any length.
type adapter struct{ kinds []kind }

func (a *adapter) serve(in io.Reader, out io.Writer) error {
	lines, answers := bufio.NewReaderSize(in, 1<<16), bufio.NewWriter(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			answer, last := a.message(line)
			if last {
				return nil
			}
			if _, err := answers.Write(append(pyjson(answer), '\n')); err != nil {
				return err
			}
			if err := answers.Flush(); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func misuse(seq value, detail string) value {
	out := &object{}
	if seq != nil {
		out.add("seq", seq)
	}
	out.add("error", newObject("code", "protocol", "detail", detail))
	return out
}

// message answers one message, and says whether it was the last.
func (a *adapter) message(line []byte) (answer value, last bool) {
	v, no := readWithin(line, math.MaxInt)
	o, ok := v.(*object)
	if no != nil || !ok {
		return misuse(nil, "a message is one JSON object on one line"), false
	}
	seq, _ := o.get("seq")
	if _, ok := seq.(integer); !ok {
		seq = nil
	}
	switch op, _ := o.text("op"); op {
	case "bye":
		return nil, true
	case "hello":
		return a.hello(o), false
	case "case":
		if seq == nil {
			return misuse(nil, "a case has a seq that is an integer"), false
		}
		return a.oneCase(seq, o), false
	}
	return misuse(seq, "op is none of hello, case and bye"), false
}

func (a *adapter) hello(o *object) value {
	if p, _ := o.get("protocol"); p != integer("1") {
		return misuse(nil, "this adapter speaks protocol 1")
	}
	names := []value{}
	for _, k := range a.kinds {
		names = append(names, k.name)
	}
	who := newObject("name", "groundrules-go", "version", "1.0.0", "language", "Go", "url", "https://w3id.org/groundrules/")
	return newObject("protocol", integer("1"), "implementation", who, "kinds", names, "features", []value{})
}

// oneCase answers a case. Nothing below is known to panic; should it all the
// same, that is told as an error of this case and not of the next ones.
func (a *adapter) oneCase(seq value, o *object) (answer value) {
	defer func() {
		if p := recover(); p != nil {
			answer = newObject("seq", seq, "error", newObject("code", "internal", "detail", fmt.Sprint(p)))
		}
	}()
	name, _ := o.text("kind")
	given := o.member("input")
	if given == nil {
		return misuse(seq, "input is no object")
	}
	in := inputs{}
	for i, n := range given.names {
		text, ok := given.values[i].(string)
		octets, err := base64.StdEncoding.DecodeString(text)
		if !ok || err != nil {
			return misuse(seq, "an input is no base64")
		}
		in[n] = octets
	}
	for _, k := range a.kinds {
		if k.name != name {
			continue
		}
		for _, need := range k.needs {
			if _, ok := in[need]; !ok {
				return misuse(seq, "an input that this kind needs is not there: "+need)
			}
		}
		out := newObject("seq", seq)
		told := k.answer(in).(*object)
		for i, n := range told.names {
			out.add(n, told.values[i])
		}
		return out
	}
	return newObject("seq", seq, "skipped", "this adapter does not answer cases of this kind")
}

// kitFolder is the checkout: the flag, the environment, or where we stand.
func kitFolder() string {
	if kit := os.Getenv("GROUNDRULES_KIT"); kit != "" {
		return kit
	}
	return "."
}

func main() {
	kit := flag.String("kit", kitFolder(), "the checkout whose schemas are read")
	flag.Parse()
	all, err := loadSchemas(*kit)
	if err != nil {
		fmt.Fprintln(os.Stderr, "adapter: without the schemas only the byte layer is answered:", err)
		all = nil
	}
	if flag.NArg() > 0 {
		os.Exit(command(all, flag.Args()))
	}
	a := &adapter{kinds(all)}
	if err := a.serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "adapter:", err)
		os.Exit(2)
	}
}

// command runs a subcommand and returns the exit code.
func command(all *schemas, args []string) int {
	if len(args) != 2 || args[0] != "make-run" || all == nil {
		fmt.Fprintln(os.Stderr, "usage: adapter [-kit DIR] [make-run OUTDIR]")
		return 2
	}
	if err := makeRun(all, args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "adapter: the run was not written:", err)
		return 2
	}
	return 0
}

// ---------------------------------------------------------------------------
// One complete run (adapter make-run OUTDIR)
// ---------------------------------------------------------------------------

// The run is about a catalogue of carillon bells. Documents that are hashed are
// JSON texts, copied octet for octet wherever they stand; nothing here depends
// on a clock, on chance or on the order of a map.

const (
	runFolder     = "go-carillon"
	runInvocation = "019e39e2-62aa-7b6e-9c55-2f8e61d04a97"
	runTrace      = "b5c0a7d94e1f4a3f8d26c09e7713fa58"
	runSnapshot   = "snapshot:carillon-2026-05"
)

// runInput is what was asked; "\u2028" and others stand raw in the text.
const runInput = `{"schema_class": "BellQuestion", "text": "Which bells of the north tower ring flat of their nominal?", ` +
	`"tolerance_cents": 2.50, "10": "partials", "9": "nominals", "\ue050": "clef, private use", "\U0001d11e": "clef", ` +
	`"remark": "asked by <Ren\u00e9e & Rene\u0301e>\u2028on two lines", "scale": [1, 1.0, 1e0, -0, -0.0], "limit": null}`

// runBells are the records of the copy, a line each. The first is cited under a
// pyjson name and has numbers of every spelling; the second under a jcs-safe
// name, which has no room for the large ones; the third is not cited.
var runBells = []string{
	`{"bell": "bell:north-1", "name": "Grosse Ursula <b\u00e9> & <be\u0301>", "founder": null, ` +
		`"partials_hz": {"10": 1046.5, "9": 1e0, "2": 261.6255653005986, "1": 130.8, "-1": -0.0}, ` +
		`"spellings": [1, 1.0, 1e0, 10E-1, -0, -0.0, 0e9, 1e-7, 0.00001, 0.0001, 1e15, 1e16, 12345678901234567890.0, ` +
		`100000000000000000000, 1e20, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 9007199254740993, ` +
		`9007199254740993.0, 4.35, 0.1, 1e22, 1e23], ` +
		`"\uffee": "halfwidth", "\ue0a4": "notehead, private use", "\U0001d158": "notehead", ` +
		`"inscribed": "MDCCXLV\u2028solo\u2029deo\u0085gloria\u007f", "nested": [[[]], [{}, [null, [true, [false]]]], {"": [[0.5]]}]}`,
	`{"bell": "bell:north-2", "name": "Kleine A\u030angela \u00c5ngela", "founder": "Zo\u00eb \u0026 Zonen", ` +
		`"partials_hz": {"10": 2093.0045, "9": 1.0, "2": 523.2511306011972, "1": 261.5, "-1": -0.0}, ` +
		`"spellings": [1, 1.0, 1e0, 10E-1, -0, -0.0, 1e-7, 0.000001, 0.00001, 1e15, 9007199254740991, 9007199254740991.0, ` +
		`5e-324, 4.35, 123456789.125], "weight_g": "100000000000000000000", ` +
		`"\ufb01": "ligature", "\ue0a3": "notehead, private use", "\U0001d157": "notehead", ` +
		`"inscribed": "a\\b\"c\/d\b\f\n\r\t\u0001\u2028", "nested": [[], [[1.5e0, {"z": null, "a": [{}]}]]]}`,
	`{"bell": "bell:south-1", "name": "Salvator", "partials_hz": {"1": 98}}`,
}

// raw resolves the escapes \u and \U of a text above that stand for characters
// which JSON lets stand for themselves, so that they stand raw in the files.
func raw(text string) string {
	return rawEscape.ReplaceAllStringFunc(text, func(e string) string {
		n, err := strconv.ParseUint(e[2:], 16, 32)
		if err != nil || n < 0x20 {
			return e
		}
		return string(rune(n))
	})
}

var rawEscape = regexp.MustCompile(`\\U[0-9a-f]{8}|\\u[0-9a-f]{4}`)

// maker makes the texts of the run.
type maker struct {
	all   *schemas
	files map[string]string
	no    error
}

// hash reads a text and hashes it under a name.
func (m *maker) hash(text, name string) string {
	v, no := read([]byte(text))
	if no == nil {
		var hash string
		if hash, no = hashUnder(v, name); no == nil {
			return hash
		}
	}
	m.no = fmt.Errorf("a text of the run is refused: %s", no.code)
	return ""
}

func (m *maker) parse(text string) value {
	v, no := read([]byte(text))
	if no != nil {
		m.no = fmt.Errorf("a text of the run is refused: %s", no.code)
	}
	return v
}

// makeRun writes the run into a folder below out.
func makeRun(all *schemas, out string) error {
	m := &maker{all: all, files: map[string]string{}}
	m.documents()
	m.verdicts()
	if m.no != nil {
		return m.no
	}
	folder := filepath.Join(out, runFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, text := range m.files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// documents writes request, copy, list of copies, trace and envelope.
func (m *maker) documents() {
	input := raw(runInput)
	first, second, third := raw(runBells[0]), raw(runBells[1]), raw(runBells[2])
	inputHash := m.hash(input, inputName)
	firstHash, secondHash := m.hash(first, "dd-json-document-v1"), m.hash(second, "jcs-document-v1")

	m.files["request.json"] = "{\n  \"format\": \"request/1\",\n  \"invocation_id\": \"" + runInvocation + "\",\n" +
		"  \"agent_id\": \"bell-tuner\",\n  \"agent_version\": \"3.0\",\n  \"conversation_id\": \"tower-visit-12\",\n" +
		"  \"requested_at\": \"2026-05-18T08:59:58.25+02:00\",\n  \"input\": " + input + "\n}\n"

	octets := first + "\n" + second + "\n" + third + "\n"
	m.files["copy"] = octets
	m.files["copies.json"] = "{\n  \"sources\": [\n    {\n      \"snapshot_refs\": [\"live:carillon\", \"" + runSnapshot + "\"],\n" +
		"      \"path\": \"copy\",\n      \"id_field\": \"bell\",\n      \"sha256\": \"" + digest([]byte(octets)) + "\",\n" +
		"      \"bytes\": " + strconv.Itoa(len(octets)) + "\n    }\n  ]\n}\n"

	m.files["spans.jsonl"] = m.spans(inputHash, firstHash, secondHash)
	m.files["envelope.json"] = envelopeText(first, firstHash, second, secondHash)
}

// attribute writes one OTLP/JSON attribute with a text; texts here need no
// escape but what they already have.
func attribute(key, text string) string {
	return `{"key": "` + key + `", "value": {"stringValue": "` + text + `"}}`
}

// spanText writes one OTLP/JSON span; times are microseconds after the start.
func spanText(id, parent, name string, start, end int64, attributes ...string) string {
	const begin = 1_779_087_598_000_000 // 2026-05-18T06:59:58Z
	nanos := func(t int64) string { return strconv.FormatInt((begin+t)*1000, 10) }
	if parent != "" {
		parent = `"parentSpanId": "` + parent + `", `
	}
	return `{"traceId": "` + runTrace + `", "spanId": "` + id + `", ` + parent + `"name": "` + name + `", "kind": 1, ` +
		`"startTimeUnixNano": "` + nanos(start) + `", "endTimeUnixNano": "` + nanos(end) + `", ` +
		`"attributes": [` + strings.Join(attributes, ", ") + `], "status": {"code": 1}}`
}

// spans writes the trace as OTLP/JSON, a message a line, the agent's first.
func (m *maker) spans(inputHash, firstHash, secondHash string) string {
	message := func(service string, spans ...string) string {
		return `{"resourceSpans": [{"resource": {"attributes": [` + attribute("service.name", service) + `]}, ` +
			`"scopeSpans": [{"scope": {"name": "` + service + `", "version": "1"}, "spans": [` + strings.Join(spans, ", ") + `]}]}]}` + "\n"
	}
	const root = "c0ffee0000000001"
	agent := message("bell-tuner",
		spanText("c0ffee0000000002", root, "retrieval", 410_000, 520_000,
			attribute("dd.source_id", "bell:north-1"), attribute("dd.content_hash", firstHash)),
		spanText("c0ffee0000000003", root, "retrieval", 430_000, 610_000,
			attribute("dd.source_id", "bell:north-2"), attribute("dd.content_hash", secondHash)),
		spanText("c0ffee0000000004", root, "chat", 650_000, 2_900_000,
			`{"key": "gen_ai.usage.input_tokens", "value": {"intValue": "1184"}}`,
			`{"key": "temperature", "value": {"doubleValue": 0.0}}`,
			attribute("prompt.note", raw(`<tower> & \u2028 bells`))))
	conductor := message("conductor",
		spanText(root, "", "invoke_agent", 300_000, 3_250_000,
			attribute("dd.grounding_mode", "retrieval"), attribute("dd.input_hash", inputHash),
			attribute("dd.input_canonicalisation", inputName), attribute("dd.outcome", "succeeded"),
			attribute("dd.invocation_id", runInvocation), attribute("dd.agent_id", "bell-tuner"),
			attribute("dd.agent_version", "3.0"), attribute("dd.span_profile", "dd")))
	return agent + conductor
}

// envelopeText writes the envelope around the records.
func envelopeText(first, firstHash, second, secondHash string) string {
	refer := func(id, hash string) string { return `{"source_id": "` + id + `", "content_hash": "` + hash + `"}` }
	cite := func(id, name, hash, content string) string {
		return `    {"source_id": "` + id + `", "hash_algorithm": "sha256", "canonicalisation": "` + name + `",` + "\n" +
			`     "content_hash": "` + hash + `", "snapshot_ref": "` + runSnapshot + `", "retrieved_at": "2026-05-18T06:59:58Z",` + "\n" +
			`     "content": ` + content + `}`
	}
	one, two := refer("bell:north-1", firstHash), refer("bell:north-2", secondHash)
	return "{\n" +
		`  "invocation_id": "` + runInvocation + `",` + "\n" +
		`  "agent_id": "bell-tuner",` + "\n" + `  "agent_version": "3.0",` + "\n" +
		`  "completed_at": "2026-05-18T07:00:01.500Z",` + "\n" + `  "grounding_mode": "retrieval",` + "\n" +
		`  "outcome": {"status": "succeeded", "statement": "One bell of two rings flat."},` + "\n" +
		`  "payload": {` + "\n" + `    "schema_class": "BellReport",` + "\n" +
		`    "bells": [` + "\n" +
		`      {"bell": "bell:north-1", "flat": true, "cents": -3.0, "grounded_on": [` + one + `]},` + "\n" +
		`      {"bell": "bell:north-2", "flat": false, "cents": -0.0, "grounded_on": [` + two + `]}` + "\n    ],\n" +
		`    "grounded_on": [` + one + `, ` + two + `]` + "\n  },\n" +
		`  "evidence": [` + "\n" + cite("bell:north-1", "dd-json-document-v1", firstHash, first) + ",\n" +
		cite("bell:north-2", "jcs-document-v1", secondHash, second) + "\n  ],\n" +
		`  "telemetry": {"trace_id": "` + runTrace + `", "model_id": "carillon-small", "input_tokens": 1184, "output_tokens": 57},` + "\n" +
		`  "conversation_id": "tower-visit-12",` + "\n" + `  "requires_human_review": true` + "\n}\n"
}

// verdicts judges what was written and adds both verdicts, as data and as text.
func (m *maker) verdicts() {
	if m.no != nil {
		return
	}
	envelope := m.parse(m.files["envelope.json"])
	spans, no := readTrace([]byte(m.files["spans.jsonl"]))
	list, refused := readCopies(m.all, inputs{"config": []byte(m.files["copies.json"]), "copy": []byte(m.files["copy"])})
	if m.no != nil || no != nil || refused != nil {
		m.no = errors.New("trace or copies of the run are refused")
		return
	}
	grounding := lint(m.all, spans, envelope, "").verdict()
	sources := checkSources(envelope, list, list.requireContent).verdict(list.requireResolved)
	m.files["grounding.json"] = string(pyjson(grounding)) + "\n"
	m.files["grounding.txt"] = groundingHead(grounding) + " (2 retrieval, 1 model-call spans)\n"
	m.files["sources.json"] = string(pyjson(sources)) + "\n"
	m.files["sources.txt"] = sourcesHead(sources) + "\n"
}
