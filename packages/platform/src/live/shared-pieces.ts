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
    remove(piece: Piece): void {
      const left = sockets.get(piece)! - 1
      if (left > 0) return void sockets.set(piece, left)
      sockets.delete(piece)
      bytes -= piece.bytes
    },
  }
}
