import type { LastValue } from './last-values.ts'
import type { PointFields } from './latest.store.ts'

/** The fields of a last value, as JSON without braces. In a JSON object they follow `fieldsText` and a comma. */
export function valueText({ atMs, value, source }: LastValue): string {
  const timestamp = new Date(atMs).toISOString()
  return `"value":${JSON.stringify(value)},"timestamp":"${timestamp}","source":${JSON.stringify(source)}`
}

const fieldsTexts = new WeakMap<PointFields, string>()

/** The fields of a point, as a JSON object without its closing brace. */
export function fieldsText(point: PointFields): string {
  let text = fieldsTexts.get(point)
  if (text === undefined) {
    const { number: _, ...fields } = point
    text = JSON.stringify(fields).slice(0, -1)
    fieldsTexts.set(point, text)
  }
  return text
}
