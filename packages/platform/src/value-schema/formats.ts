import { type FormatName, fullFormats } from 'ajv-formats/dist/formats.js'
import { compilePattern } from './patterns.ts'

const ADOPTED = ['date', 'time', 'date-time', 'duration', 'uuid', 'ipv4'] as const satisfies FormatName[]

const URI = /^[a-z][a-z0-9+.-]*:\S+$/i
const EMAIL = compilePattern('^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$')

/** The formats that a value schema may use. Each is checked in linear time. */
export const FORMATS = {
  ...Object.fromEntries(ADOPTED.map((name) => [name, fullFormats[name]])),
  uri: URI,
  email: (text: string) => EMAIL.test(text),
}
