import type { Piece } from './sequence-log.ts'

/** The pieces that are on their way to sockets, up to a number of bytes. A piece for several sockets counts once. */
export function createSharedPieces(maxBytes: number) {
  const sockets = new Map<Piece, number>()
  let bytes = 0

  return {
    isFull: (): boolean => bytes >= maxBytes,
    add(piece: Piece): void {
      const before = sockets.get(piece) ?? 0
      sockets.set(piece, before + 1)
      if (before === 0) bytes += piece.bytes
    },
    /** Returns the number of sockets to which the piece is still on its way. */
    remove(piece: Piece): number {
      const left = sockets.get(piece)! - 1
      if (left > 0) sockets.set(piece, left)
      else {
        sockets.delete(piece)
        bytes -= piece.bytes
      }
      return left
    },
  }
}
