import type { StoreyNode } from '@storey/sdk'
import { useRoute } from '@storey/web'
import { useBuildingData } from './building-data.tsx'
import { storeyFor } from './storey-for.ts'

/** The storey of the current URL. */
export function useStorey(): StoreyNode | undefined {
  const { path, query } = useRoute()
  return storeyFor(useBuildingData(), path, query)
}
