export { loadTracing, type OpenedTracing, openTracing } from './open-tracing.ts'
export { readTracing, type TracingOptions, type TracingSettings } from './settings.ts'
export { summaryOf } from './statement-summary.ts'
export {
  type Attributes,
  activeSpan,
  errorType,
  inSpan,
  isTracing,
  type RemoteParent,
  recordWait,
  runDetached,
  runInSpan,
  type Span,
  type SpanStart,
  startChild,
  startServerSpan,
  startSpan,
  traceFields,
  traceHeaders,
} from './tracing.ts'
