import { createRequire } from 'node:module'
import type * as WebIfc from 'web-ifc'

// Node parses the whole library twice to import it, and not at all to require it: 0.2 s less for each file that is read.
export const { IFC2X3, IFC4, IFC4X3, IfcAPI, LogLevel } = createRequire(import.meta.url)('web-ifc') as typeof WebIfc
