import { createRequire } from 'node:module'
import type * as WebIfc from 'web-ifc'

// `import` makes Node parse the whole library twice. `require` saves 0.2 s for each file that is read.
export const { IFC2X3, IFC4, IFC4X3, IfcAPI, LogLevel } = createRequire(import.meta.url)('web-ifc') as typeof WebIfc
