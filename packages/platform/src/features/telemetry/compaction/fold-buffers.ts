import { Arena } from '../storage/arena.ts'
import { newSamples, type Samples } from '../storage/chunk-codec.ts'
import { newSortedColumns, type SortedColumns } from './fold-batches.ts'

/** The memory that the compaction thread reuses for each transaction. */
export interface FoldBuffers {
  sorted: Arena<SortedColumns>
  /** The observations of the pieces (rows of `observation_chunks`) that are merged. */
  samples: Arena<Samples>
}

export function createFoldBuffers(): FoldBuffers {
  return {
    sorted: new Arena({
      create: newSortedColumns,
      part: ({ times, values, offsetsMs }, from, to) => ({
        times: times.subarray(from, to),
        values: values.subarray(from, to),
        offsetsMs: offsetsMs.subarray(from, to),
      }),
    }),
    samples: new Arena({ create: newSamples, part: partOfSamples }),
  }
}

export const partOfSamples = ({ offsetsMs, values }: Samples, from: number, to: number): Samples => ({
  offsetsMs: offsetsMs.subarray(from, to),
  values: values.subarray(from, to),
})
