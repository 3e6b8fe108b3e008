import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from './button.tsx';

type ConfirmDialogProps = {
  isOpen: boolean;
  title: string;
  children: ReactNode;
  confirmLabel: string;
  cancelLabel: string;
  onConfirm: () => void;
  onCancel: () => void;
};

/** The cancel button is the first one, so it gets the focus. */
export function ConfirmDialog({
  isOpen,
  title,
  children,
  confirmLabel,
  cancelLabel,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal();
    if (!isOpen && dialog.current?.open) dialog.current.close();
  }, [isOpen]);
  const confirm = () => {
    // Returns the focus before `onConfirm`, which may move it.
    dialog.current?.close();
    onConfirm();
  };
  return (
    <dialog
      ref={dialog}
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
      className="m-auto w-[min(28rem,calc(100vw-2rem))] rounded-panel border border-line bg-raised p-4 text-ink sm:p-6 shadow-lift open:appear"
    >
      <h2 id={`${id}-title`} className="text-lead font-semibold">
        {title}
      </h2>
      <div id={`${id}-text`} className="mt-2 text-muted">
        {children}
      </div>
      <div className="mt-6 flex flex-wrap justify-end gap-3">
        <Button onClick={onCancel}>{cancelLabel}</Button>
        <Button variant="danger" onClick={confirm}>
          {confirmLabel}
        </Button>
      </div>
    </dialog>
  );
}
