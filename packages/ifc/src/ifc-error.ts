/** Why a file cannot be read: one plain sentence for the person who sent it, without paths or internals. */
export class IfcError extends Error {
  override name = 'IfcError'
}
