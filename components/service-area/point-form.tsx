import { type SubmitEvent, useEffect, useEffectEvent } from 'react';
import type { FoundAddress } from '#src/geo/geocoder.ts';
import type { Position } from '#src/geo/position.ts';
import { Button } from '../ui/button.tsx';
import { TextField, useHydrated } from '../ui/field.tsx';
import { formatPosition, noAddresses, parsePosition, positionHelp } from './format.ts';

type PointFormProps = {
  /** A point in this city, to show the format. */
  example: Position;
  text: string;
  onText: (text: string) => void;
  error: string | undefined;
  onError: (error: string) => void;
  isChecking: boolean;
  onPoint: (point: Position, name?: string) => void;
  isLocating: boolean;
  /** Asks for the device's position. */
  onLocate: () => void;
  /** Whether addresses can be searched. */
  hasSearch: boolean;
  onAddress: (address: string) => void;
  /** What the search found. */
  addresses: FoundAddress[];
};

export const focusPoint = () => document.getElementById('point')?.focus();

/** Takes a point as coordinates, as an address, or from the device. Without scripts the form sends it in the page's URL. */
export function PointForm(props: PointFormProps) {
  const { example, text, onText, error, onError, isChecking, onPoint, isLocating, onLocate } = props;
  const { hasSearch, onAddress, addresses } = props;
  const isHydrated = useHydrated();
  const isTextError = error === positionHelp(hasSearch) || error === noAddresses;
  const keepTypedText = useEffectEvent(() => {
    const field = document.getElementById('point');
    if (field instanceof HTMLInputElement) onText(field.value);
  });
  // Keeps what was typed before hydration.
  useEffect(() => keepTypedText(), []);
  const handleSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const point = parsePosition(text);
    if (point) return onPoint(point);
    if (hasSearch && text.trim() !== '') return onAddress(text.trim());
    onError(positionHelp(hasSearch));
    focusPoint();
  };
  return (
    <form
      action="/service-area"
      data-works-offline
      className="grid gap-3 tabular-nums"
      onSubmit={handleSubmit}
      noValidate
    >
      <TextField
        id="point"
        name="point"
        label={hasSearch ? 'Address or coordinates' : 'Latitude and longitude'}
        hint={`For example ${hasSearch ? '200 Main Street, or ' : ''}${formatPosition(example)}`}
        error={isTextError && error}
        value={text}
        onChange={(event) => onText(event.target.value)}
        maxLength={hasSearch ? 200 : 60}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="primary" isBusy={isChecking} busyLabel="Checking…">
          {hasSearch ? 'Check' : 'Check this point'}
        </Button>
        <Button
          isBusy={isLocating}
          busyLabel="Finding your location…"
          onClick={onLocate}
          className={isHydrated ? '' : 'invisible noscript:hidden'}
        >
          Use this device’s location
        </Button>
      </div>
      {!isTextError && (
        <p role="alert" className="text-small font-medium text-bad empty:hidden">
          {error}
        </p>
      )}
      <Addresses hasSearch={hasSearch} addresses={addresses} onPoint={onPoint} />
    </form>
  );
}

/** Links, so that they work without scripts. */
function Addresses({
  hasSearch,
  addresses,
  onPoint,
}: Pick<PointFormProps, 'hasSearch' | 'addresses' | 'onPoint'>) {
  return (
    <div>
      {hasSearch && (
        <p role="status" className="font-medium">
          {addresses.length > 0 && 'Choose an address:'}
        </p>
      )}
      <ul className="divide-y divide-line">
        {addresses.map(({ name, point }) => (
          <li key={`${name} ${point.join()}`}>
            <a
              href={`/service-area?point=${encodeURIComponent(formatPosition(point))}`}
              onClick={(event) => {
                event.preventDefault();
                // The link goes away.
                event.currentTarget.closest('form')?.querySelector('button')?.focus();
                onPoint(point, name);
              }}
              className="hit flex items-center py-2"
            >
              <span className="link">{name}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/**
 * Asks the browser for the device's position, which stays in this page.
 * @throws Error with a message for the user: the cause and the fix
 */
export function devicePosition(): Promise<Position> {
  return new Promise((resolve, reject) => {
    if (!('geolocation' in navigator)) {
      reject(new Error('This browser can’t share its location. Enter coordinates instead.'));
      return;
    }
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve([coords.longitude, coords.latitude]),
      ({ code }) => reject(new Error(geolocationErrors[code] ?? positionUnavailable)),
      { enableHighAccuracy: true, timeout: 10_000, maximumAge: 60_000 },
    );
  });
}

const positionUnavailable =
  'This device couldn’t find its location. Try again outdoors, or enter coordinates.';

/** By the codes of GeolocationPositionError (W3C Geolocation): 1 denied, 3 timed out. */
const geolocationErrors: Record<number, string> = {
  1: 'This page isn’t allowed to see your location. Allow it in the browser’s site settings, or enter coordinates.',
  3: 'Finding your location took too long. Try again, or enter coordinates.',
};
