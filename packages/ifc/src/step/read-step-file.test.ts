import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IfcError } from '../ifc-error.ts'
import { ifcFile } from '../testing/index.ts'
import { TemporaryFolder } from '../testing/temporary-folder.ts'
import { readStepFile } from './read-step-file.ts'
import { StepScanner } from './scanner.ts'

const HOUSE = ifcFile({ storeys: [{ name: 'Ground floor', elevation: 0, spaces: [{ name: '001' }] }] })
const HEADER = `ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('','',(''),(''),'','','');
FILE_SCHEMA(('IFC4'));
ENDSEC;
`

function withData(...lines: string[]): string {
  return `${HEADER}DATA;\n${lines.join('\n')}\nENDSEC;\nEND-ISO-10303-21;\n`
}

function read(content: string | Uint8Array) {
  using folder = new TemporaryFolder()
  return readStepFile(folder.write(content))
}

function refusal(content: string | Uint8Array): string {
  try {
    read(content)
  } catch (error) {
    if (error instanceof IfcError) return error.message
    throw error
  }
  return 'none'
}

describe('the syntax check', () => {
  it('accepts a valid file and returns the positions of its entities', () => {
    const { schema, lines } = read(HOUSE)
    expect(schema).toBe('IFC4')
    expect([...lines.rowsOf((name) => name === 'IFCSPACE')]).toHaveLength(1)
    const row = lines.rowOf(3)!
    expect(HOUSE.slice(lines.offsetAt(row))).toMatch(/^#3=/)
    expect(lines.rowOf(999_999)).toBeNull()
  })

  it.each([
    ['a byte order mark and blanks', `\ufeff \n${HOUSE}`],
    ['a comment before the start', `/* made by hand */\n${HOUSE}`],
    ['comments and blanks inside', withData("#1 = IFCPERSON ( $ , /* ,, ( ' */ 'a''b' ,\n$ , $,$,$,$,$ ) ;")],
    ['an empty list and typed values', withData('#1=IFCA((),IFCLABEL(\'x\'),.T.,*,-1.5E-3,+2,"0F");')],
    ['two data sections', HOUSE.replace('END-ISO', 'DATA;\n#9000=IFCA();\nENDSEC;\nEND-ISO')],
    ['a data section with parameters', HOUSE.replace('DATA;', "DATA('one',('IFC4'));")],
    ['something after the end', `${HOUSE}\0\0 signature`],
    ['ids that do not ascend', withData('#7=IFCA();', '#2=IFCB();')],
    ['Windows line ends', HOUSE.replaceAll('\n', '\r\n')],
  ])('accepts %s', (_what, content) => {
    expect(refusal(content)).toBe('none')
  })

  it.each([
    ['a section sign as \\S\\ and an apostrophe', withData("#1=IFCA('\\S\\' 5','\\S\\'','\\PA\\\\S\\', 2');")],
    ['a section sign whose apostrophe is doubled', withData("#1=IFCA('\\S\\'' 5','a\\\\S\\\\');")],
  ])('[IMP-28] accepts %s', (_what, content) => {
    expect(refusal(content)).toBe('none')
  })

  it.each([
    ['', 'The file is empty'],
    [' \n ', 'The file is empty'],
    ['PK\u0003\u0004', 'The file is a ZIP archive (ifcZIP): send the .ifc file inside it'],
    ['<?xml version="1.0"?>', 'The file is XML (ifcXML): export it as an .ifc file in the STEP format'],
    ['{"header":{}}', 'The file is JSON: export it as an .ifc file in the STEP format'],
    ['hello', 'The file is not an IFC file: it does not begin with ISO-10303-21'],
    [HOUSE.replace("'IFC4'", "'IFC5_ALPHA'"), 'The schema IFC5_ALPHA is not supported: use IFC2X3, IFC4 or IFC4X3'],
    [HOUSE.replace("'IFC4'", "'IFC2X2_FINAL'"), /schema IFC2X2_FINAL is not supported/],
    [HOUSE.replace(/FILE_SCHEMA.*\n/, ''), 'The header does not name the schema'],
    ['ISO-10303-21;\nEND-ISO-10303-21;', 'The file has no DATA section'],
    [withData("#1=IFCPERSON($,$,'',,$);"), 'Line 8 of the file has an empty argument'],
    [withData('#1=IFCA((,1));'), 'Line 8 of the file has an empty argument'],
    [withData('', '#1=IFCA(1,);'), 'Line 9 of the file has an empty argument'],
    [withData('#1=IFCA(1));'), 'Line 8 of the file lacks a semicolon'],
    [withData('#1=IFCA(1;'), 'Line 8 of the file has an unexpected semicolon'],
    [withData('#1=IFCA(1 2);'), 'Line 8 of the file lacks a comma or a closing parenthesis'],
    [withData('#1 IFCA(1);'), 'Line 8 of the file lacks an equals sign after its id'],
    [withData('#1=IFCA 1;'), 'Line 8 of the file lacks an opening parenthesis'],
    [withData('#0=IFCA();'), 'Line 8 of the file has an id that is not between 1 and 2147483647'],
    [withData('#99999999999=IFCA();'), /not between 1 and/],
    [withData('#1=IFCA(#2147483648);'), /not between 1 and/],
    [withData('#1=IFCA();', '#2=IFCA();', '#1=IFCB();'), 'Line 10 of the file defines an id that was defined before'],
    [withData(`#1=IFCA(${'('.repeat(100)}1${')'.repeat(100)});`), 'Line 8 of the file is nested too deeply'],
    [withData('#1=IFCA(1.E400);'), 'Line 8 of the file has a number that is out of range'],
    [withData(`#1=IFCA(${'9'.repeat(400)});`), 'Line 8 of the file has a number that is out of range'],
    [withData(`#1=IFCA(${'9'.repeat(400)}.);`), 'Line 8 of the file has a number that is out of range'],
    [withData('#1=IFCA(1.2.3);'), 'Line 8 of the file has a number that is not well formed'],
    [withData('#1=IFCA(\0);'), 'Line 8 of the file has an unexpected character'],
    [HOUSE.replace('END-ISO-10303-21;', ''), 'The file is incomplete: END-ISO-10303-21 is missing'],
    [HOUSE.slice(0, HOUSE.lastIndexOf('ENDSEC')), 'The file is incomplete: ENDSEC is missing'],
    [`${HEADER}DATA;\n#1=IFCA('no end`, 'The file is incomplete: a string is not closed'],
    [`${HEADER}DATA;\n#1=IFCA(/* no end`, 'The file is incomplete: a comment is not closed'],
    [`${HEADER}DATA;\n#1=IFCA(1`, 'The file is incomplete: line 8 is not complete'],
  ])('refuses %j', (content, sentence) => {
    expect(refusal(content)).toMatch(sentence)
  })

  it('finds the first supported schema that the header lists', () => {
    const schemaOf = (list: string) => read(HOUSE.replace("'IFC4'", list)).schema
    expect(schemaOf("'IFC4','IFC4X3'")).toBe('IFC4')
    expect(schemaOf("'IFC5',\n/* older */ ' ifc4x3_add2 ', 'IFC4'")).toBe('IFC4X3_ADD2')
    expect(refusal(HOUSE.replace("'IFC4'", "'IFC5','IFC6'"))).toMatch(/^The schema IFC5 is not supported/)
    expect(refusal(HOUSE.replace("'IFC4'", ''))).toMatch(/^The header does not name the schema/)
  })

  it('counts lines in strings and comments', () => {
    expect(refusal(withData("#1=IFCA('a\nb',/*\n\n*/1);", '#2=IFCA(,);'))).toMatch(/^Line 12 /)
  })

  it('fails only with an IfcError, whatever the bytes are', () => {
    const parts = fc.constantFrom(
      ...`#1=IFCA(;),'"$*./*E+-\n${'9'.repeat(20)}`.split(''),
      'ENDSEC;',
      'DATA;',
      '#2=IFCB(',
    )
    const data = fc.array(parts, { maxLength: 60 }).map((all) => withData(all.join('')))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 300 }), data), (content) => {
        expect(refusal(content)).not.toBe('')
      }),
      { numRuns: 150 },
    )
  })

  it('gives the same result wherever the file is split into pieces', () => {
    const file = Buffer.from(
      withData("#1=IFCA('it''s','\\S\\' 5','\\S\\'' 5','\\S\\'',/* c */.TRUE.,-1.5E-3,#12);", '#12=IFCB();'),
    )
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sizes) => {
        const scanner = new StepScanner()
        let taken = 0
        let seen = 0
        for (let piece = 0; seen < file.length || taken < seen; piece++) {
          seen = Math.min(file.length, seen + sizes[piece % sizes.length]!)
          const part = file.subarray(taken, seen)
          taken += scanner.scan(part, part.length, seen === file.length)
          if (seen === file.length && scanner.done) break
        }
        scanner.finish()
        expect(scanner.schema).toBe('IFC4')
        expect([0, 1].map((row) => scanner.lines.classAt(row))).toEqual(['IFCA', 'IFCB'])
        expect([0, 1].map((row) => scanner.lines.offsetAt(row))).toEqual([file.indexOf('#1='), file.indexOf('#12=')])
        expect(file.toString('latin1', scanner.dataFrom!, scanner.dataTo)).toMatch(/^DATA;[\s\S]*ENDSEC;$/)
      }),
    )
  })
})
