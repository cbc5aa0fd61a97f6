import { type Context, createContextKey, TraceFlags, trace } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { TracingSettings } from './settings.ts'

const OURS = createContextKey('the sampler decides, and not the sender')
const ids = new RandomIdGenerator()

/** Marks the context of a sender that does not decide whether its trace is sampled. */
export const decideOurselves = (context: Context): Context => context.setValue(OURS, true)

/**
 * A trace is sampled as a whole: a span with a parent is sampled if its parent is. For the parent of a sender that does
 * not decide, the decision is made as for a new trace, with a random id, because the sender could choose an id that the
 * ratio always includes.
 */
export function createSampler({ root: name, ratio }: TracingSettings['sampler']): Sampler {
  const root = rootSampler(name, ratio)
  return {
    shouldSample(context, traceId, ...rest) {
      const parent = trace.getSpanContext(context)
      if (parent === undefined) return root.shouldSample(context, traceId, ...rest)
      if (context.getValue(OURS) === true) return root.shouldSample(context, ids.generateTraceId(), ...rest)
      const isSampled = (parent.traceFlags & TraceFlags.SAMPLED) !== 0
      return { decision: isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD }
    },
    toString: () => `parent, or ${root.toString()}`,
  }
}

function rootSampler(name: TracingSettings['sampler']['root'], ratio: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio)
  return name === 'always_on' ? new AlwaysOnSampler() : new AlwaysOffSampler()
}
