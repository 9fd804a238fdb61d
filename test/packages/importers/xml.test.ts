import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ImportRefusal } from '#importers/finding.ts';
import { decodeXml } from '#importers/pgm/encoding.ts';
import { readXml, textOf } from '#importers/pgm/xml.ts';
import { character } from '#test/support/characters.ts';

const refusal = (text: string): string => {
  try {
    readXml(text);
  } catch (error) {
    assert.ok(error instanceof ImportRefusal);
    return `${error.place}: ${error.message}`;
  }
  assert.fail('is read');
};

test('a document becomes a tree with lines, comments and the five entities of XML', () => {
  const root = readXml(
    '<?xml version="1.0"?>\n<map a="1 &lt; 2">\n  <b>&amp;&gt;&quot;&apos;&#65;<![CDATA[<x>]]></b><!-- two\nlines -->\n</map>',
  );
  const [, b, comment] = root.children;
  assert.equal(root.attributes.get('a'), '1 < 2');
  assert.ok(b?.kind === 'element' && comment?.kind === 'comment');
  assert.deepEqual([root.line, root.endLine, b.line, textOf(b)], [2, 5, 3, '&>"\'A<x>']);
  assert.deepEqual([comment.text, comment.line], [' two\nlines ', 3]);
});

test('DTDs and entities of any kind are refused', () => {
  const dtd = 'has a document type declaration; DTDs and entities are not read';
  assert.equal(refusal('<!DOCTYPE map>\n<map/>'), `line 1, column 14: ${dtd}`);
  assert.match(refusal('<!DOCTYPE map [\n<!ENTITY a "b">\n]>\n<map>&a;</map>'), new RegExp(dtd));
  assert.match(refusal('<!DOCTYPE map SYSTEM "file:///etc/passwd"><map/>'), new RegExp(dtd));
  assert.match(refusal('<map>&nbsp;</map>'), /Invalid character entity/);
  assert.match(refusal('<map><!ELEMENT a></map>'), /only a DTD may have/);
});

test('malformed XML is refused with line and column', () => {
  assert.match(refusal('<map>\n  <a>\n</map>'), /^line 3, column 6: is not well-formed XML: Unexpected close tag/);
  assert.match(refusal('<map>\n<a'), /^line 2, column 2: is not well-formed XML: Unclosed root tag/);
  assert.match(refusal('<map/><map/>'), /a second element after the end/);
  assert.match(refusal('<map a="1" a="2"/>'), /^line 1, column 18: <map> has an attribute twice$/);
  assert.match(refusal('<map a="<"/>'), /has a "<" in an attribute/);
  assert.match(refusal('<map a=1/>'), /Unquoted attribute value/);
  assert.match(refusal('<map hasOwnProperty="1" x="2"/>'), /not well-formed/);
  assert.match(refusal('text'), /Non-whitespace before first tag/);
  assert.match(refusal(''), /contains no element/);
  assert.match(refusal('<map>\n\u0000</map>'), /^line 2, column 1: is not XML: it contains control characters$/);
});

const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);

test('elements may nest 100 deep', () => {
  assert.equal(readXml(nested(100)).name, 'a');
  assert.match(refusal(nested(101)), /deeper than 100/);
  assert.match(refusal('<a>'.repeat(100_000)), /deeper than 100/);
});

test('any text is either parsed or refused', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<map>',
      '</map>',
      '<a b="c">',
      '</a>',
      '<a/>',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?x',
      '?>',
      '<!DOCTYPE x [',
      ']',
      '&amp;',
      '&#0;',
      '&#x',
      '<',
      '>',
      '"',
      "'",
      '=',
      '\n',
      '__proto__="x"',
      '\ufeff',
      '\ud800',
    ),
    fc.string({ unit: character, maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (pieces, wrapped) => {
      const text = wrapped ? `<map>${pieces.join('')}</map>` : pieces.join('');
      try {
        assert.equal(readXml(text).kind, 'element');
      } catch (error) {
        assert.ok(error instanceof ImportRefusal, String(error));
        assert.match(error.place, /^line \d+, column \d+$/);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a file is decoded by its byte order mark, its first bytes or its declaration', () => {
  const text = '<?xml version="1.0"?><map>Ünïcode €</map>';
  const utf16 = Buffer.from(text, 'utf16le');
  const swapped = Buffer.from(utf16).swap16();
  for (const bytes of [
    Buffer.from(text),
    Buffer.from(`\ufeff${text}`),
    utf16,
    swapped,
    Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
  ])
    assert.deepEqual(decodeXml(bytes), { text });
  const latin = '<?xml version="1.0" encoding="ISO-8859-1"?><map>é</map>';
  assert.deepEqual(decodeXml(Buffer.from(latin, 'latin1')), { text: latin });
  const wrong = '<?xml version="1.0" encoding="UTF-16"?><map>é</map>';
  assert.deepEqual(decodeXml(Buffer.from(wrong)), { text: wrong });
});

test('invalid UTF-8 is read as Latin-1 with a note; other wrong encodings are refused', () => {
  const bytes = Buffer.from('<map>é</map>', 'latin1');
  assert.deepEqual(decodeXml(bytes), { text: '<map>é</map>', note: 'is not UTF-8 text; read as Latin-1' });
  assert.throws(
    () => decodeXml(Buffer.from('<?xml version="1.0" encoding="klingon"?><map/>')),
    /unknown encoding "klingon"/,
  );
  assert.throws(() => decodeXml(Buffer.from([0xff, 0xfe, 0x00, 0xd8])), /is not valid utf-16le text/);
});
