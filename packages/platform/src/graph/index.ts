export { type Admit, admitLarge } from './admit-large.store.ts'
export { withExternalIds } from './external-ids.ts'
export { countNodes, findByCodes, findByExternalIds, insertNodes, type NodeChange } from './graph-edit.store.ts'
export type { GraphEdit } from './graph-edit.ts'
export { KINDS_IN_ORDER, parentsOf, TABLES } from './kinds.ts'
export { countOf, type NodePage, onStorey, pageOfNodes } from './node-lists.store.ts'
export { nodeRoutes } from './node-routes.ts'
export { freshNode, patchedNode } from './node-rules.ts'
export {
  buildingExists,
  findNode,
  hasId,
  listInBuilding,
  NODE_COLUMNS,
  type NodeRow,
  nodeFields,
} from './nodes.store.ts'
export { type GraphAccess, openGraph } from './open-graph.ts'
export type { RevisionAt } from './resolve-revision.store.ts'
export { isRevisionText, resolveRevision } from './resolve-revision.ts'
export { checkSourceSystem } from './source-system.ts'
export { isUuid } from './uuid.ts'
export type { Violation } from './validate-edit.ts'
