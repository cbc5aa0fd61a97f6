const HEAD = 16

/**
 * Decodes the columns of a batch that an earlier version of the service wrote: the values as doubles, the numbers of
 * the points, and the times as doubles or as offsets from the first time. Such a batch can still wait to be folded
 * after an update of the service.
 */
export function decodeFirstColumns(data: Buffer, count: number) {
  const hasOffsets = data.readUInt32LE(4) === 1
  const end = HEAD + count * (hasOffsets ? 16 : 20)
  // A `Float64Array` must start at a multiple of eight in its `ArrayBuffer`, but a buffer from the database can start
  // at any byte.
  const aligned = new Uint8Array(end - HEAD)
  aligned.set(data.subarray(HEAD, end))
  const values = new Float64Array(aligned.buffer, 0, count)
  const points = new Int32Array(aligned.buffer, count * 8, count)
  const times = new Float64Array(count)
  const first = data.readDoubleLE(8)
  if (hasOffsets) {
    const offsets = new Int32Array(aligned.buffer, count * 12, count)
    for (let i = 0; i < count; i++) times[i] = first + offsets[i]!
  } else {
    const view = new DataView(aligned.buffer, count * 12)
    for (let i = 0; i < count; i++) times[i] = view.getFloat64(i * 8, true)
  }
  return { values, points, times, end }
}
