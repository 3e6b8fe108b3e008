'use client';

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

/**
 * Asks before something that cannot be taken back. The browser's own modal dialog keeps the focus inside, makes the
 * rest inert, closes on Escape and gives the focus back; the safe answer has the focus first.
 */
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
    // It gives the focus back first: what happens next may move it on.
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
        <Button autoFocus onClick={onCancel}>
          {cancelLabel}
        </Button>
        <Button look="danger" onClick={confirm}>
          {confirmLabel}
        </Button>
      </div>
    </dialog>
  );
}
