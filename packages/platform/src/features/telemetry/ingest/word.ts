/**
 * Four bytes of an ASCII text as one integer, which scanners compare with the result of `DataView.getInt32` in
 * little-endian order. A longer text is compared by several words, of which the last two can overlap.
 */
export const word = (text: string, at: number): number => Buffer.from(text, 'latin1').readInt32LE(at)
