import { IfcError } from '../ifc-error.ts'

const SUPPORTED = /^IFC(2X3|4|4X[123])(_[A-Z0-9_]+)?$/

/** The error for a file that is not a STEP file, by its first bytes. */
export function notStep(start: string): IfcError {
  if (start.startsWith('PK')) return new IfcError('The file is a ZIP archive (ifcZIP): send the .ifc file inside it')
  if (start.startsWith('<'))
    return new IfcError('The file is XML (ifcXML): export it as an .ifc file in the STEP format')
  if (start.startsWith('{')) return new IfcError('The file is JSON: export it as an .ifc file in the STEP format')
  return new IfcError('The file is not an IFC file: it does not begin with ISO-10303-21')
}

/** The first of these schemas that is supported. Throws if there is none. */
export function supportedSchema(names: readonly string[]): string {
  const schemas = names.map((name) => name.trim().toUpperCase()).filter((name) => name !== '')
  const found = schemas.find((schema) => SUPPORTED.test(schema))
  if (found !== undefined) return found
  const shown = (schemas[0] ?? '').replace(/[^A-Z0-9_ .-]/g, '').slice(0, 40)
  if (shown === '') throw new IfcError('The header does not name the schema of the file')
  throw new IfcError(`The schema ${shown} is not supported: use IFC2X3, IFC4 or IFC4X3`)
}
