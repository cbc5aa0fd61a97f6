import { randomUUID } from 'node:crypto'
import { LIMITS } from '@storey/contract'
import type { ProvisioningClient, SandboxCreate, SandboxRecord } from '@storey/sdk'
import type { Context } from '../../context.ts'
import { noteAfter, type Progress } from '../../output/progress.ts'
import { LOST_RESPONSE_POLLS_MS, mayHaveArrived } from './may-have-arrived.ts'
import { notReadyInTime, pollOnce } from './wait-until-ready.ts'

/** Older services answer only when the sandbox is ready; after this time the tool polls the list instead. */
const CREATE_TIMEOUT_S = 60
/** A note is printed after this time, because a minute without output looks like a hang. */
const STILL_WAITING_MS = 10_000

interface Attempt {
  /** Ids of the sandboxes that had the same name before the create request. */
  known: ReadonlySet<string>
  progress: Progress
  since: number
}

/**
 * Sends the create request. If the response is lost, the service may have accepted the request: the tool then looks for
 * a new sandbox with the requested name in the list, and sends the request again if there is none.
 */
export async function sendCreate(
  context: Context,
  client: ProvisioningClient,
  body: SandboxCreate,
  attempt: Attempt,
): Promise<SandboxRecord> {
  const { clock } = context
  const longTimeoutClient = await context.provisioning(CREATE_TIMEOUT_S)
  const idempotencyKey = randomUUID()
  context.interruptNote = `The service may have accepted the request to create ${body.name}: check with \`svc sandbox list\`.`
  for (;;) {
    const endNote = noteAfter(STILL_WAITING_MS, context.out, `${body.name}: still waiting for the service to answer.`)
    try {
      return await longTimeoutClient.sandboxes.create(body, { idempotencyKey })
    } catch (error) {
      if (!mayHaveArrived(error)) throw error
    } finally {
      endNote()
    }
    // The first poll may be too early to find the record, so a second one follows.
    const { everyMs, giveUpMs } = LIMITS.createPolling
    const pauses = [...LOST_RESPONSE_POLLS_MS]
    for (let misses = 0; misses < 2; ) {
      const pauseMs = pauses.shift() ?? everyMs
      if (clock.now() + pauseMs - attempt.since > giveUpMs) throw notReadyInTime(body.name)
      await clock.sleep(pauseMs)
      const rows = await pollOnce(() => allByName(client, body.name), attempt.progress)
      if (rows === undefined) continue
      const found = rows.find(({ sandboxId }) => !attempt.known.has(sandboxId))
      if (found !== undefined) return found
      misses += 1
    }
  }
}

async function allByName(client: ProvisioningClient, name: string): Promise<SandboxRecord[]> {
  const found: SandboxRecord[] = []
  for await (const row of client.sandboxes.listAll()) if (row.name === name) found.push(row)
  return found
}

export async function idsByName(client: ProvisioningClient, name: string): Promise<Set<string>> {
  return new Set((await allByName(client, name)).map(({ sandboxId }) => sandboxId))
}
