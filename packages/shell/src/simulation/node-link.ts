import type { BuildingModel } from '../building/model.ts'

type Nodes = Pick<BuildingModel, 'point' | 'element' | 'space' | 'storey'>

/** The name of a node and the path of its page or, for a storey, of its plan. Undefined if there is no such node. */
export function nodeLink(
  { point, element, space, storey }: Nodes,
  id: string,
): { name: string; to: string } | undefined {
  const link = (node: { name: string } | undefined, to: string) => node && { name: node.name, to }
  return (
    link(point(id), `/points/${id}`) ??
    link(element(id), `/elements/${id}`) ??
    link(space(id), `/rooms/${id}`) ??
    link(storey(id), `/plan?${new URLSearchParams({ storey: storey(id)?.code ?? '' })}`)
  )
}
