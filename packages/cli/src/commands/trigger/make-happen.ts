import type { Context } from '../../context.ts'
import { wrongUsage } from '../../errors.ts'
import { factSheet } from '../../output/table.ts'
import { buildingOf, targetSandbox } from '../../sandboxes/target.ts'
import { triggerAlarm } from './alarm.ts'
import type { Trigger } from './happened.ts'
import { triggerOutage } from './outage.ts'
import type { Happening, TriggerOptions } from './trigger-options.ts'
import { triggerValue } from './value.ts'

const TRIGGERS: Record<Happening, Trigger> = { alarm: triggerAlarm, value: triggerValue, outage: triggerOutage }

export async function makeHappen(context: Context, what: Happening, options: TriggerOptions): Promise<void> {
  refuseOthers(what, options)
  const target = await targetSandbox(context, options.sandbox)
  const platform = await context.platform(target.apiUrl, target.token)
  const building = platform.building(await buildingOf(target, platform))
  const { record, title, facts } = await TRIGGERS[what](building, options, context)
  const { out } = context
  out.answer({ triggered: what, ...record }, () =>
    [out.paint('bold', title), '', ...factSheet(facts, (text) => out.paint('dim', text))].join('\n'),
  )
}

/** An option that does nothing would look as if it did. */
function refuseOthers(what: Happening, { point, value, node }: TriggerOptions): void {
  if (what === 'outage' && point !== undefined) throw wrongUsage('--point is not for outage.', 'Use --node.')
  if (what !== 'outage' && node !== undefined) throw wrongUsage('--node is for outage only.', 'Use --point.')
  if (what !== 'value' && value !== undefined) throw wrongUsage('--value is for value only.', 'Omit --value.')
}
