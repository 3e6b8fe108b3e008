'use client';

import { type SubmitEvent, useState, useSyncExternalStore } from 'react';
import type { LatLng } from '#src/geo/geometry.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { devicePosition } from './device-position.ts';
import { pointText, typedPoint, typedPointError } from './typed-point.ts';

type PointFormProps = {
  /** A point of this city, to show how one is written. */
  example: LatLng;
  text: string;
  onText: (text: string) => void;
  error: string | undefined;
  onError: (error: string) => void;
  isChecking: boolean;
  onPoint: (point: LatLng) => void;
};

/** Asks for a point by its coordinates or by the device's position. Without scripts the address carries it. */
export function PointForm(props: PointFormProps) {
  const { example, text, onText, error, onError, isChecking, onPoint } = props;
  const isOfText = error === typedPointError;
  const handleSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const point = typedPoint(text);
    if (point) return onPoint(point);
    onError(typedPointError);
    document.getElementById('point')?.focus();
  };
  return (
    <form action="/service-area" className="grid gap-3 tabular-nums" onSubmit={handleSubmit} noValidate>
      <TextField
        id="point"
        name="point"
        label="Latitude and longitude"
        hint={`For example ${pointText(example)}`}
        error={isOfText && error}
        value={text}
        onChange={(event) => onText(event.target.value)}
        autoComplete="off"
        spellCheck={false}
        maxLength={60}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="primary" isBusy={isChecking} busyLabel="Checking…">
          Check this point
        </Button>
        <DevicePositionButton onPoint={onPoint} onError={onError} />
      </div>
      {!isOfText && (
        <p role="alert" className="text-small font-medium text-bad empty:hidden">
          {error}
        </p>
      )}
    </form>
  );
}

function DevicePositionButton({ onPoint, onError }: Pick<PointFormProps, 'onPoint' | 'onError'>) {
  const [isBusy, setBusy] = useState(false);
  const hasScripts = useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
  const handleClick = async () => {
    setBusy(true);
    try {
      onPoint(await devicePosition());
    } catch (problem) {
      onError(problem instanceof Error ? problem.message : String(problem));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      isBusy={isBusy}
      busyLabel="Finding the position…"
      onClick={handleClick}
      className={hasScripts ? '' : 'invisible noscript:hidden'}
    >
      Use this device’s position
    </Button>
  );
}
