import { Select, setQuery, TextField, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useState } from 'react'
import { ACTIONS, type AuditFilters, isKeyId, PAGE_SIZES } from './audit-filters.ts'
import { auditTexts } from './audit-texts.ts'
import './audit.css'

/** The list is filtered by the typed key ID this many milliseconds after the last key press. */
const DEBOUNCE_MS = 300

export function AuditFilterBar({ filters }: { filters: AuditFilters }): ReactNode {
  const t = useTexts(auditTexts)
  const [typed, setTyped] = useState(filters.keyId)
  useEffect(() => setTyped(filters.keyId), [filters.keyId])
  useEffect(() => {
    if (typed === filters.keyId || (typed !== '' && !isKeyId(typed))) return
    const timer = setTimeout(() => setQuery({ keyId: typed || null }), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [typed, filters.keyId])
  return (
    <search className="audit-filters">
      <Select
        label={t('action')}
        value={filters.action}
        onValue={(action) => setQuery({ action: action || null })}
        options={[{ value: '', label: t('all') }, ...ACTIONS.map((value) => ({ value, label: t(value) }))]}
      />
      <TextField
        label={t('keyId')}
        value={typed}
        onText={(text) => setTyped(text.trim())}
        placeholder={t('allKeys')}
        hint={typed === '' ? t('keyIdHint') : undefined}
        error={typed !== '' && !isKeyId(typed) ? t('keyIdWrong') : undefined}
        autoComplete="off"
        spellCheck={false}
      />
      <Select
        label={t('rows')}
        value={String(filters.limit)}
        onValue={(limit) => setQuery({ limit })}
        options={PAGE_SIZES.map((size) => ({ value: String(size), label: String(size) }))}
      />
    </search>
  )
}
