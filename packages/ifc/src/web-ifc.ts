import { createRequire } from 'node:module'
import type * as WebIfc from 'web-ifc'

/**
 * Loads web-ifc. Only the outlines of rooms need it, and loading it takes longer than most other work for a small file.
 * `import` would make Node parse the whole library twice, so `require` is used.
 */
export const loadWebIfc = (): typeof WebIfc => createRequire(import.meta.url)('web-ifc')
