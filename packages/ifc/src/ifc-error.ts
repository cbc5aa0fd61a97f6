/**
 * Why a file cannot be read. The message is for the person who sent the file: one sentence, without paths or internals.
 */
export class IfcError extends Error {
  override name = 'IfcError'
}
