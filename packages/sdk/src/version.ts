import { VERSION } from './wire-values.ts'

/**
 * The version of this package.
 *
 * @stable
 */
export const SDK_VERSION: string = VERSION
