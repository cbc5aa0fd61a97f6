import type { Context } from '../../context.ts'
import { startProgress } from '../../output/progress.ts'
import { safeText } from '../../output/safe-text.ts'
import { checkedBody } from './create-body.ts'
import type { CreateOptions } from './create-options.ts'
import { describeSandbox } from './describe-sandbox.ts'
import { idsByName, sendCreate } from './send-create.ts'
import { waitUntilReady } from './wait-until-ready.ts'

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
    const record = options.wait
      ? await waitUntilReady(context, client, accepted, { progress, since, action: 'created' })
      : accepted
    progress.end()
    out.answer(record, () => describeSandbox(context, record))
    const reference = safeText(record.slug ?? record.sandboxId)
    out.hint(`\nSelect it for this folder: svc use ${reference}`)
    out.hint(`Or for this shell:         eval "$(svc sandbox connect ${reference})"`)
  } finally {
    progress.end()
  }
}
