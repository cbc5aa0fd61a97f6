import { createHash } from 'node:crypto'
import { MAX_WORK_ORDERS_PER_REQUEST, QUOTAS, WorkOrderEvent } from '@storey/contract'
import { createBodyCheck } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import type { Bus, BusEvent } from '../../bus/index.ts'
import { countComments, insertComment } from './comments.store.ts'
import type { Desk } from './desk.ts'
import { findByNumber, findRequest, type RequestRow } from './requests.store.ts'
import type { DeskTransaction } from './transactions.ts'
import { writeChange } from './write-change.ts'

const EVENTS = ['cafm.work-order.created', 'cafm.work-order.updated', 'cafm.work-order.completed'] as const
/** The author of comments on completed work orders. */
const AUTHOR = 'cafm'
/** The maximum number of waiting events. Further events are ignored, so that a flood of events takes little memory. */
const MAX_WAITING = 10_000

/** The maximum number of requests for which the limit of work orders is logged. */
const MAX_LOGGED = 1_000

const check = createBodyCheck(WorkOrderEvent)

export interface WorkOrders {
  /** Resolves when all received events are processed. */
  idle(): Promise<void>
  close(): Promise<void>
}

/**
 * Subscribes to events of work orders, and links each work order to its request. Several processes can receive the same
 * event, and a process can receive it more than once, but the link and the comment on the completion are written only
 * once.
 */
export function linkWorkOrders(desk: Desk, bus: Bus, log: Log): WorkOrders {
  let working: Promise<void> = Promise.resolve()
  let waiting = 0
  const full = new Set<string>()

  /**
   * Warns once per request that the request has the maximum number of work orders, and that a further work order was
   * not linked.
   */
  function warn(requestId: string, workOrderId: string): void {
    if (full.has(requestId) || full.size >= MAX_LOGGED) return
    full.add(requestId)
    const max = MAX_WORK_ORDERS_PER_REQUEST
    log.warn({ requestId, workOrderId, max }, 'request has the maximum number of work orders, work order not linked')
  }

  function receive({ buildingId, name, fields }: BusEvent): void {
    if (waiting >= MAX_WAITING || check(fields).length > 0) {
      log.debug({ name, waiting }, 'work order event ignored')
      return
    }
    waiting += 1
    const event = fields as WorkOrderEvent
    working = working
      .then(() =>
        desk.transaction((transaction) => link(transaction, buildingId, event, name === 'cafm.work-order.completed')),
      )
      .then((row) => {
        if (row && !row.workOrderIds.includes(event.workOrderId)) warn(row.id, event.workOrderId)
      })
      .catch((err) => log.warn({ err, workOrderId: event.workOrderId }, 'work order not linked'))
      .finally(() => {
        waiting -= 1
      })
  }

  const ends = EVENTS.map((name) => bus.subscribe(name, receive))
  return {
    idle: () => working,
    async close() {
      for (const end of ends) end()
      await working
    },
  }
}

/**
 * Links a work order to its request, and comments on the request if the work order is completed. Returns the request,
 * or undefined if the building has no such request.
 */
async function link(
  transaction: DeskTransaction,
  buildingId: string,
  event: WorkOrderEvent,
  isCompleted: boolean,
): Promise<RequestRow | undefined> {
  const { workOrderId } = event
  const request = await findRequestOf(transaction, event)
  if (!request || request.buildingId !== buildingId.toLowerCase()) return undefined
  const hasNewComment = isCompleted && (await commentOnCompletion(transaction, request.id, workOrderId))
  return writeChange(transaction, request, (row) => withWorkOrder(row, workOrderId), { hasNewComment })
}

/**
 * Returns whether a comment was added. A repeated event adds none, and a request with the maximum number of comments
 * gets none.
 */
async function commentOnCompletion({ tx, at }: DeskTransaction, requestId: string, workOrderId: string) {
  if ((await countComments(tx, requestId)) >= QUOTAS.comments.limit) return false
  const id = completionId(requestId, workOrderId)
  const text = `Work order ${workOrderId} is completed.`
  return (await insertComment(tx, requestId, { id, text, author: AUTHOR, at })) !== undefined
}

function findRequestOf(
  { tx }: DeskTransaction,
  { requestId, requestNumber }: WorkOrderEvent,
): Promise<RequestRow | undefined> {
  return requestId == null ? findByNumber(tx, Number(requestNumber!.slice(3))) : findRequest(tx, requestId)
}

function withWorkOrder(row: RequestRow, workOrderId: string): RequestRow {
  const { workOrderIds } = row
  if (workOrderIds.includes(workOrderId) || workOrderIds.length >= MAX_WORK_ORDERS_PER_REQUEST) return row
  return { ...row, workOrderIds: [...workOrderIds, workOrderId] }
}

/** The id of the comment on a completion: a version 8 UUID (RFC 9562) that is the same in every process. */
function completionId(requestId: string, workOrderId: string): string {
  const bytes = createHash('sha256').update(`${requestId}\0${workOrderId}`).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
