import type { Graph } from '@storey/sdk'
import { type Locale, withNames } from '@storey/web'

type Nodes = Pick<Graph, 'storeys' | 'spaces' | 'elements' | 'points'>

/** The graph with the names in the language of the page. `storedName` (`@storey/web`) returns the original name. */
export const withNodeNames = <G extends Nodes>(graph: G, locale: Locale): G => ({
  ...graph,
  storeys: withNames('storey', graph.storeys, locale),
  spaces: withNames('space', graph.spaces, locale),
  elements: withNames('element', graph.elements, locale),
  points: withNames('point', graph.points, locale),
})
