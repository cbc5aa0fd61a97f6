import { randomUUID } from 'node:crypto'
import { LIMITS } from '@storey/contract'
import type { ProvisioningClient, SandboxCreate, SandboxRecord } from '@storey/sdk'
import type { Context } from '../../context.ts'
import { noteAfter, type Progress, startProgress } from '../../output/progress.ts'
import { checkedBody } from './create-body.ts'
import type { CreateOptions } from './create-options.ts'
import { describeSandbox } from './describe-sandbox.ts'
import { LOST_ANSWER_POLLS_MS, mayHaveArrived } from './may-have-arrived.ts'
import { notReadyInTime, pollOnce, waitUntilReady } from './wait-until-ready.ts'

/** Older services answer only when the sandbox is ready; after this time the tool polls the list instead. */
const CREATE_TIMEOUT_S = 60
/** A note is printed after this time, because a minute without output looks like a hang. */
const STILL_WAITING_MS = 10_000

export async function createSandbox(context: Context, options: CreateOptions): Promise<void> {
  const { out, clock } = context
  const body = checkedBody(options)
  const client = await context.provisioning()
  const since = clock.now()
  const progress = startProgress(out, clock.now)
  try {
    progress.show(`${body.name}: sending the request`, undefined)
    const known = await idsByName(client, body.name)
    const accepted = await sendCreate(context, client, body, { known, progress, since })
    context.interruptNote = `The service continues to create ${accepted.name}: \`svc sandbox list\` shows the progress.`
    const record = options.wait ? await waitUntilReady(context, client, accepted, { progress, since }) : accepted
    progress.end()
    out.answer(record, () => describeSandbox(context, record))
    const reference = record.slug ?? record.sandboxId
    out.hint(`\nSelect it for this folder: svc use ${reference}`)
    out.hint(`Or for this shell:         eval "$(svc sandbox connect ${reference})"`)
  } finally {
    progress.end()
  }
}

interface Attempt {
  /** Ids of the sandboxes that had the same name before the create. */
  known: ReadonlySet<string>
  progress: Progress
  since: number
}

/**
 * Sends the create. If there is no response, the service may have accepted it: the tool then looks for a sandbox of
 * that name, and sends the create again if there is none.
 */
async function sendCreate(
  context: Context,
  client: ProvisioningClient,
  body: SandboxCreate,
  attempt: Attempt,
): Promise<SandboxRecord> {
  const { clock } = context
  const longTimeoutClient = await context.provisioning(CREATE_TIMEOUT_S)
  const idempotencyKey = randomUUID()
  context.interruptNote = `${body.name} may have been accepted already: check with \`svc sandbox list\`.`
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
    const pauses = [...LOST_ANSWER_POLLS_MS]
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

async function idsByName(client: ProvisioningClient, name: string): Promise<Set<string>> {
  return new Set((await allByName(client, name)).map(({ sandboxId }) => sandboxId))
}
