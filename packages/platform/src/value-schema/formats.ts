import { type FormatName, fullFormats } from 'ajv-formats/dist/formats.js'
import { compilePattern } from './patterns.ts'

const TAKEN = ['date', 'time', 'date-time', 'duration', 'uuid', 'ipv4'] as const satisfies FormatName[]

const URI = /^[a-z][a-z0-9+.-]*:\S+$/i
const EMAIL = compilePattern('^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$')

/** The formats that a value schema may name: each is checked in one walk along the text. */
export const FORMATS = {
  ...Object.fromEntries(TAKEN.map((name) => [name, fullFormats[name]])),
  uri: URI,
  email: (text: string) => EMAIL.test(text),
}
