import { useFormat, useTexts } from '@storey/web'
import { importTexts } from './texts.ts'

/** Formats a number of bytes. */
export function useFileSize(): (bytes: number) => string {
  const t = useTexts(importTexts)
  const format = useFormat()
  return (bytes) => {
    const kilobytes = bytes / 1024
    if (kilobytes < 1000) return t('kilobytes', { n: format.number(kilobytes, 1) })
    return t('megabytes', { n: format.number(kilobytes / 1024, 1) })
  }
}
