import type { DiffRecord, ElementNode, PointNode, SpaceNode, StoreyNode } from '@storey/sdk'

export type Change = DiffRecord['changes'][number]

export type AnyNode = StoreyNode | SpaceNode | ElementNode | PointNode
