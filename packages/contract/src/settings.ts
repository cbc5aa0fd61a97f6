import Type, { type Static } from 'typebox'
import { Nullable } from './lists.ts'

/** Settings of a sandbox. */
export const Settings = Type.Object(
  {
    telemetryRetentionDays: Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Null()], {
      description:
        'Days of history that are kept, today included; null: all. Older days are deleted in the background: soon after ' +
        'a change of the setting, and then about every hour while the sandbox is awake.',
    }),
  },
  { $id: 'Settings', additionalProperties: false },
)
export type Settings = Static<typeof Settings>

export const SettingsPatch = Type.Partial(
  Type.Object({ telemetryRetentionDays: Nullable(Type.Integer({ minimum: 1, maximum: 36_500 })) }),
  { additionalProperties: false, minProperties: 1 },
)
export type SettingsPatch = Static<typeof SettingsPatch>
