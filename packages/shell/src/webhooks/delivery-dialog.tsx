import { LIMITS } from '@storey/contract'
import type { DeliveryDetail, DeliveryRecord } from '@storey/sdk'
import {
  Badge,
  Button,
  Code,
  Dialog,
  ErrorPanel,
  isNotFound,
  LoadingState,
  Note,
  useAction,
  useFormat,
  useTexts,
  useToasts,
} from '@storey/web'
import type { ReactNode } from 'react'
import type { ApiAccess } from '../access/api-access.ts'
import { useBuildingTimes } from '../building/building-times.ts'
import { ResponseText } from './deliveries.tsx'
import { formatBody } from './format-body.ts'
import { ATTEMPT_BADGES } from './states.ts'
import { webhookTexts } from './texts.ts'
import { useDelivery } from './use-webhooks.ts'
import styles from './webhooks.module.css'

interface DeliveryDialogProps {
  webhookId: string
  deliveryId: string
  access: ApiAccess
  onClose(): void
}

/** Shows a delivery: its request, and the response to each attempt. */
export function DeliveryDialog({ webhookId, deliveryId, access, onClose }: DeliveryDialogProps): ReactNode {
  const t = useTexts(webhookTexts)
  const toasts = useToasts()
  const { data, error, reload } = useDelivery(webhookId, deliveryId)
  const resend = useAction(async () => {
    await access.client.webhooks.redeliver(webhookId, deliveryId)
    toasts.show(t('resent'))
  })
  const resendButton = access.may('platform.webhooks:write') ? (
    <Button icon="send" label={t('resend')} isBusy={resend.isBusy} onClick={() => void resend.run()} />
  ) : null
  return (
    <Dialog
      title={data?.event ?? t('delivery')}
      wide
      onClose={onClose}
      footer={<Button label={t('close')} onClick={onClose} />}
    >
      <ErrorPanel error={resend.error} />
      {isNotFound(error) ? <Note>{t('notFoundDelivery')}</Note> : <ErrorPanel error={error} onRetry={reload} />}
      {data ? <Delivery delivery={data} actions={resendButton} /> : error === undefined ? <LoadingState /> : null}
    </Dialog>
  )
}

function Delivery({ delivery, actions }: { delivery: DeliveryDetail; actions: ReactNode }): ReactNode {
  const t = useTexts(webhookTexts)
  const format = useFormat()
  const times = useBuildingTimes()
  const { state, nextAttemptAt, request, attempts } = delivery
  const shown = LIMITS.webhook.shownBodyBytes
  const isCut = request.bodyBytes > shown
  return (
    <>
      <div className={styles.head}>
        <Badge {...ATTEMPT_BADGES[state]}>{t(state)}</Badge>
        {nextAttemptAt === null ? null : (
          <span className="st-quiet">
            {t('next')}: {times.second(nextAttemptAt)}
          </span>
        )}
        {actions}
      </div>
      <section className={styles.part}>
        <h3>{t('request')}</h3>
        <Code title={t('headers')} text={request.headers.map(({ name, value }) => `${name}: ${value}`).join('\n')} />
        <p className="st-field-hint">{t('requestText')}</p>
        <div className={styles.tall}>
          <Code title={t('body')} text={request.body} shown={formatBody(request.body)} />
        </div>
        {isCut ? (
          <p className="st-field-hint">
            {t('bodyCut', { shown: format.number(shown / 1024), total: format.number(request.bodyBytes / 1024) })}
          </p>
        ) : null}
      </section>
      <section className={styles.part}>
        <h3>{t('attempts')}</h3>
        <ol className={styles.attempts}>
          {attempts.map((attempt) => (
            <Attempt key={attempt.attempt} attempt={attempt} />
          ))}
        </ol>
      </section>
    </>
  )
}

function Attempt({ attempt }: { attempt: DeliveryRecord }): ReactNode {
  const t = useTexts(webhookTexts)
  const times = useBuildingTimes()
  const { responseBody } = attempt
  const isCut = responseBody !== null && [...responseBody].length >= LIMITS.webhook.responseCharacters
  return (
    <li className={styles.part}>
      <div className="st-row">
        <strong>{t('attemptN', { n: attempt.attempt })}</strong>
        <Badge {...ATTEMPT_BADGES[attempt.status]}>{t(attempt.status)}</Badge>
        <ResponseText attempt={attempt} />
        <span className="st-quiet">
          {t('ms', { n: attempt.durationMs })} ·{' '}
          <time dateTime={attempt.attemptedAt}>{times.second(attempt.attemptedAt)}</time>
        </span>
      </div>
      {responseBody === null ? null : responseBody === '' ? (
        <p className="st-quiet">{t('emptyResponse')}</p>
      ) : (
        <div className={styles.tall}>
          <Code title={t('response')} text={responseBody} shown={formatBody(responseBody)} />
        </div>
      )}
      {isCut ? <p className="st-field-hint">{t('responseCut', { n: LIMITS.webhook.responseCharacters })}</p> : null}
    </li>
  )
}
