import { Button, Dialog } from '@storey/web'
import type { ReactNode } from 'react'

interface ConfirmEndProps {
  title: string
  /** The step, in the words of the button that asked for it. */
  confirm: string
  /** The way back, in words that nobody takes for the step. */
  back: string
  isBusy: boolean
  onConfirm(): void
  onClose(): void
  children: ReactNode
}

/** Asks before a step from which none leads back. What becomes of it is told where it was asked for. */
export function ConfirmEnd({ title, confirm, back, isBusy, onConfirm, onClose, children }: ConfirmEndProps): ReactNode {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button label={back} onClick={onClose} />
          <Button kind="danger" label={confirm} isBusy={isBusy} onClick={onConfirm} />
        </>
      }
    >
      {children}
    </Dialog>
  )
}
