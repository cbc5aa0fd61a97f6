import Type, { type Static } from 'typebox'
import { closed } from './closed.ts'
import { POINT_TYPES } from './graph/index.ts'
import { NodeId, pathId, Uuid, UuidFilter } from './ids.ts'
import { LIMITS } from './limits.ts'
import { ListOf, Nullable, PageQuery } from './lists.ts'
import { OPEN_REQUEST_STATES } from './request-moves.ts'
import { PLAIN_TEXT } from './text-patterns.ts'
import { Timestamp } from './timestamps.ts'

export const FAULT_RULE_KINDS = ['threshold', 'stuck', 'silent', 'alarm'] as const
export type FaultRuleKind = (typeof FAULT_RULE_KINDS)[number]
export const FAULT_SEVERITIES = ['info', 'minor', 'major', 'critical'] as const
export const FAULT_STATES = ['open', 'acknowledged', 'resolved'] as const
export type FaultState = (typeof FAULT_STATES)[number]

const Line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: PLAIN_TEXT, description: 'one line of text' })
const Seconds = Type.Integer({ minimum: 0, maximum: 31 * 86_400 })

/**
 * The fields that select the points of a rule. A rule has at least one of these fields, and watches the points that
 * match every field it has.
 */
export const FAULT_RULE_SCOPE = [
  'pointId',
  'pointName',
  'quantityKind',
  'unit',
  'pointType',
  'elementTypeSlug',
] as const
const scope = {
  pointId: Type.Optional(Nullable(NodeId)),
  pointName: Type.Optional(
    Nullable({ ...Line(200), description: 'one line of text: the exact name of points, such as "Zone temperature"' }),
  ),
  quantityKind: Type.Optional(Nullable(Line(100))),
  unit: Type.Optional(Nullable(Line(100))),
  pointType: Type.Optional(Nullable(Type.Enum([...POINT_TYPES]))),
  elementTypeSlug: Type.Optional(Nullable(Line(64))),
}
const bounds = {
  above: Type.Optional(
    Nullable(Type.Number({ description: 'For a rule of the kind threshold: a larger value is a fault' })),
  ),
  below: Type.Optional(
    Nullable(Type.Number({ description: 'For a rule of the kind threshold: a smaller value is a fault' })),
  ),
  durationSeconds: Type.Optional({
    ...Seconds,
    description:
      'How long the condition must last: a value outside the bounds (threshold), no change of the value (stuck), or no ' +
      'observation (silent). Must be 0 for a rule of the kind alarm. Default of a new rule: 0',
  }),
}
/** The maximum number of pairs of an enabled rule and a point that it watches, in one building. A pair takes memory. */
export const MAX_FAULT_WATCHES = 2_000_000
/** The minimum duration of rules that detect an absence: of changes (`stuck`) or of observations (`silent`). */
export const MIN_ABSENCE_SECONDS = 60
const rule = {
  name: Line(200),
  severity: Type.Enum([...FAULT_SEVERITIES]),
  enabled: Type.Optional(Type.Boolean()),
  ...scope,
  ...bounds,
}
/**
 * `check-rule.ts` of the platform checks what this schema cannot. For example, `threshold` needs a bound, `stuck` and
 * `silent` need a duration, and every rule needs a field that selects points.
 */
export const NewFaultRule = Type.Object(
  {
    kind: Type.Enum([...FAULT_RULE_KINDS]),
    ...rule,
    enabled: Type.Optional(Type.Boolean({ description: 'Default: true' })),
  },
  closed,
)
export type NewFaultRule = Static<typeof NewFaultRule>
export const FaultRulePatch = Type.Partial(Type.Object(rule), { ...closed, minProperties: 1 })
export type FaultRulePatch = Static<typeof FaultRulePatch>

export const FaultRuleRecord = Type.Object(
  {
    id: Uuid,
    buildingId: Uuid,
    kind: Type.Enum([...FAULT_RULE_KINDS]),
    name: Type.String(),
    severity: Type.Enum([...FAULT_SEVERITIES]),
    enabled: Type.Boolean(),
    isDefault: Type.Boolean({ description: 'Whether the rule was created with the building' }),
    pointId: Nullable(Uuid),
    pointName: Nullable(Type.String()),
    quantityKind: Nullable(Type.String()),
    unit: Nullable(Type.String()),
    pointType: Nullable(Type.Enum([...POINT_TYPES])),
    elementTypeSlug: Nullable(Type.String()),
    above: Nullable(Type.Number()),
    below: Nullable(Type.Number()),
    durationSeconds: Type.Integer(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'FaultRule' },
)
export type FaultRuleRecord = Static<typeof FaultRuleRecord>
export const FaultRuleList = ListOf(Type.Ref('FaultRule'))
export const FaultRuleQuery = Type.Object(PageQuery, closed)
export const FaultRuleParams = Type.Object({ buildingId: pathId('building'), ruleId: pathId('rule') })

export const FaultRecord = Type.Object(
  {
    id: Uuid,
    buildingId: Uuid,
    alarmId: Uuid,
    ruleId: Nullable(Uuid),
    kind: Type.Enum([...FAULT_RULE_KINDS]),
    severity: Type.Enum([...FAULT_SEVERITIES]),
    title: Type.String(),
    state: Type.Enum([...FAULT_STATES]),
    pointId: Nullable(Uuid),
    elementId: Nullable(Uuid),
    value: Nullable(Type.String({ description: 'The value at which the fault was detected' })),
    detectedAt: Timestamp,
    acknowledgedAt: Nullable(Timestamp),
    acknowledgedBy: Nullable(Type.String()),
    resolvedAt: Nullable(Timestamp),
    request: Nullable(
      Type.Object(
        { id: Uuid, number: Type.String(), state: Type.Enum([...OPEN_REQUEST_STATES]) },
        {
          description:
            'The newest service request about the fault, of those that are not resolved, closed or cancelled',
        },
      ),
    ),
  },
  { $id: 'Fault' },
)
export type FaultRecord = Static<typeof FaultRecord>
export const FaultList = ListOf(Type.Ref('Fault'))
export const FaultParams = Type.Object({ buildingId: pathId('building'), faultId: pathId('fault') })
export const FaultQuery = Type.Object(
  {
    ...PageQuery,
    state: Type.Optional(Type.Enum([...FAULT_STATES], { description: 'Returns the faults in this state' })),
    active: Type.Optional(Type.Boolean({ description: 'true: open and acknowledged faults; false: resolved ones' })),
    severity: Type.Optional(Type.Enum([...FAULT_SEVERITIES], { description: 'Returns the faults of this severity' })),
    elementId: UuidFilter,
    pointId: UuidFilter,
  },
  closed,
)
export type FaultQuery = Static<typeof FaultQuery>

export const FaultsToAcknowledge = Type.Object(
  { faultIds: Type.Array(NodeId, { minItems: 1, maxItems: LIMITS.acknowledgedFaults }) },
  closed,
)
export type FaultsToAcknowledge = Static<typeof FaultsToAcknowledge>
export const AcknowledgedFaults = Type.Object({ data: Type.Array(Type.Ref('Fault')) })

const Count = Type.Integer({ minimum: 0 })
const Counts = Type.Object({ info: Count, minor: Count, major: Count, critical: Count })
/** The numbers of active faults by state and severity. */
export const FaultSummary = Type.Object(
  {
    open: Counts,
    acknowledged: Counts,
    total: Type.Integer({ minimum: 0, description: 'The number of active faults: open and acknowledged' }),
  },
  { $id: 'FaultSummary' },
)
export type FaultSummary = Static<typeof FaultSummary>
