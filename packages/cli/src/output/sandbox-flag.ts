import { quotedForSh } from './quoted-for-sh.ts'

/** The option of a suggested command that names the sandbox as the user named it; empty if the user named none. */
export const sandboxFlag = (reference: string | undefined): string =>
  reference === undefined ? '' : ` --sandbox=${quotedForSh(reference)}`
