/** Why a file cannot be read. The message is for the person who sent it: one sentence, without paths or internals. */
export class IfcError extends Error {
  override name = 'IfcError'
}
