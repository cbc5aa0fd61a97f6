import type { Context } from '../../context.ts'
import { wrongUsage } from '../../errors.ts'
import { safeText } from '../../output/safe-text.ts'
import { nameValueLines } from '../../output/table.ts'
import { buildingOf, targetSandbox } from '../../sandboxes/target.ts'
import { triggerAlarm } from './alarm.ts'
import { triggerOutage } from './outage.ts'
import type { TriggerKind, TriggerOptions } from './trigger-options.ts'
import type { Trigger } from './trigger-result.ts'
import { triggerValue } from './value.ts'

const TRIGGERS: Record<TriggerKind, Trigger> = { alarm: triggerAlarm, value: triggerValue, outage: triggerOutage }

export async function runTrigger(context: Context, what: TriggerKind, options: TriggerOptions): Promise<void> {
  refuseUnusedOptions(what, options)
  const target = await targetSandbox(context, options.sandbox)
  const platform = await context.platform(target.apiUrl, target.token)
  const building = platform.building(await buildingOf(target, platform))
  const { record, title, facts } = await TRIGGERS[what](building, options, context)
  const { out } = context
  out.answer({ triggered: what, ...record }, () =>
    [out.paint('bold', safeText(title)), '', ...nameValueLines(facts, (text) => out.paint('dim', text))].join('\n'),
  )
}

/** Refuses options that have no effect on this kind of trigger. */
function refuseUnusedOptions(what: TriggerKind, { point, value, node }: TriggerOptions): void {
  if (what === 'outage' && point !== undefined)
    throw wrongUsage('--point cannot be used with the trigger outage.', 'Use --node.')
  if (what !== 'outage' && node !== undefined)
    throw wrongUsage('--node can only be used with the trigger outage.', 'Use --point.')
  if (what !== 'value' && value !== undefined)
    throw wrongUsage('--value can only be used with the trigger value.', 'Omit --value.')
}
