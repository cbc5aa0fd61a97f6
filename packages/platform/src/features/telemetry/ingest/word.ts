/**
 * Four bytes of an ASCII text from a position, as scanners read them with `DataView.getInt32` in little-endian order. A
 * longer text is compared by several words, of which the last two may overlap.
 */
export const word = (text: string, at: number): number => Buffer.from(text, 'latin1').readInt32LE(at)
