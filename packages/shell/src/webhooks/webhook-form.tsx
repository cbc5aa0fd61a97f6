import { WEBHOOK_EVENTS, type WebhookEvent } from '@storey/contract'
import { Checkbox, fieldErrors, TextField, useTexts } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { webhookTexts } from './texts.ts'
import styles from './webhooks.module.css'

const HINTS: Record<WebhookEvent, 'pointUpdated' | 'alarmTriggered' | 'reserved'> = {
  'building.point.updated': 'pointUpdated',
  'building.alarm.triggered': 'alarmTriggered',
  'building.element.status_changed': 'reserved',
  'building.changeset.applied': 'reserved',
}

export interface WebhookDraft {
  url: string
  events: readonly string[]
}

export interface DraftState {
  draft: WebhookDraft
  isChanged: boolean
  /** Marks missing fields from now on. Returns whether the draft is complete. */
  check(): boolean
  fields(error: unknown): ReactNode
}

/** The address and the events of a webhook, as a form. */
export function useWebhookDraft(initial: WebhookDraft): DraftState {
  const t = useTexts(webhookTexts)
  const [url, setUrl] = useState(initial.url)
  const [events, setEvents] = useState(initial.events)
  const [isChecked, setIsChecked] = useState(false)
  const toggle = (event: string, isOn: boolean) =>
    setEvents(WEBHOOK_EVENTS.filter((one) => (one === event ? isOn : events.includes(one))))
  const isComplete = url.trim() !== '' && events.length > 0
  return {
    draft: { url: url.trim(), events },
    isChanged: url.trim() !== initial.url || events.join() !== initial.events.join(),
    check() {
      setIsChecked(true)
      return isComplete
    },
    fields: (error) => (
      <>
        <TextField
          label={t('url')}
          hint={t('urlHint')}
          error={isChecked && url.trim() === '' ? t('urlRequired') : fieldErrors(error).url}
          type="url"
          inputMode="url"
          placeholder="https://example.com/hooks"
          value={url}
          onText={setUrl}
          maxLength={2048}
          autoComplete="off"
          spellCheck={false}
        />
        <fieldset className={styles.eventChoice}>
          <legend>{t('events')}</legend>
          {WEBHOOK_EVENTS.map((event) => (
            <Checkbox
              key={event}
              label={event}
              hint={t(HINTS[event])}
              checked={events.includes(event)}
              onChecked={(isOn) => toggle(event, isOn)}
            />
          ))}
          {isChecked && events.length === 0 ? (
            <span className="st-field-error" role="alert">
              {t('eventsRequired')}
            </span>
          ) : null}
        </fieldset>
      </>
    ),
  }
}
