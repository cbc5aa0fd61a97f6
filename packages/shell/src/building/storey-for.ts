import type { StoreyNode } from '@storey/sdk'
import type { BuildingModel } from './model.ts'

/**
 * The storey of the room, element or point in the URL, else the storey whose code is in the `storey` parameter, else
 * the ground storey (index 0), else the lowest storey.
 */
export function storeyFor(
  model: Pick<BuildingModel, 'storeys' | 'storeyOf'>,
  path: string,
  query: URLSearchParams,
): StoreyNode | undefined {
  const code = query.get('storey')
  const node = /^\/(?:rooms|elements|points)\/([^/]+)/.exec(path)?.[1] ?? query.get('room')
  return (
    (node ? model.storeyOf(node) : undefined) ??
    model.storeys.find((storey) => storey.code === code) ??
    model.storeys.find(({ index }) => index === 0) ??
    model.storeys[0]
  )
}
