import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { TracingSettings } from './settings.ts'
import { newTraceId, type SpanContext } from './span-context.ts'
import type { RemoteParent } from './tracing.ts'

/**
 * Decides which traces are sampled. A process decides when it begins a trace, or receives a request that belongs to a
 * trace. All child spans follow the decision.
 */
export interface Decisions {
  /** Whether a new trace is sampled. */
  isNewSampled(traceId: string): boolean
  /**
   * Whether the trace of a sender is sampled. The gateway decides, and so does a trusted proxy if the sampler follows
   * parents. For any other sender this process decides as for a new trace, but with a random id, because the sender
   * could choose an id that the ratio always includes.
   */
  isRemoteSampled(parent: SpanContext, sender: RemoteParent['sender']): boolean
}

export function createDecisions({ root: name, ratio, isParentBased }: TracingSettings['sampler']): Decisions {
  const root = rootSampler(name, ratio)
  const isNewSampled = (traceId: string) =>
    root.shouldSample(ROOT_CONTEXT, traceId, '', SpanKind.INTERNAL, {}, []).decision ===
    SamplingDecision.RECORD_AND_SAMPLED
  return {
    isNewSampled,
    isRemoteSampled({ isSampled }, sender) {
      const decides = sender === 'gateway' || (sender === 'proxy' && isParentBased)
      return decides ? isSampled : isNewSampled(newTraceId())
    },
  }
}

function rootSampler(name: TracingSettings['sampler']['root'], ratio: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio)
  return name === 'always_on' ? new AlwaysOnSampler() : new AlwaysOffSampler()
}
