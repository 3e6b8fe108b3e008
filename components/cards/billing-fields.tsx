import { useMemo } from 'react';
import { Field, Select, TextField } from '../ui/field.tsx';

export type Billing = { name: string; country: string; zip: string };

type BillingFieldsProps = {
  billing: Billing;
  zipError: string | undefined;
  onChange: (billing: Billing) => void;
};

export function BillingFields({ billing, zipError, onChange }: BillingFieldsProps) {
  const all = useMemo(countries, []);
  const isUs = billing.country === 'US';
  return (
    <>
      <TextField
        id="card-name"
        label="Name on card (optional)"
        autoComplete="cc-name"
        value={billing.name}
        onChange={(event) => onChange({ ...billing, name: event.target.value })}
        className="sm:col-span-2"
      />
      <Field id="card-country" label="Billing country">
        <Select
          id="card-country"
          autoComplete="billing country"
          value={billing.country}
          onChange={(event) => onChange({ ...billing, country: event.target.value })}
        >
          {all.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <TextField
        id="card-zip"
        label={isUs ? 'Billing ZIP code' : 'Billing postal code'}
        autoComplete="billing postal-code"
        inputMode={isUs ? 'numeric' : 'text'}
        maxLength={20}
        value={billing.zip}
        error={zipError}
        onChange={(event) => onChange({ ...billing, zip: event.target.value })}
      />
    </>
  );
}

export function zipErrorOf({ country, zip }: Billing): string | undefined {
  if (country !== 'US') return undefined;
  return /^\d{5}(-?\d{4})?$/.test(zip.trim()) ? undefined : 'Enter a 5-digit ZIP code.';
}

/** ISO 3166-1 */
const countryCodes =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';

/** By English name, the United States first. */
function countries(): { code: string; name: string }[] {
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  const all = countryCodes.split(' ').map((code) => ({ code, name: names.of(code) ?? code }));
  const others = all.filter(({ code }) => code !== 'US').sort((a, b) => a.name.localeCompare(b.name, 'en'));
  return [{ code: 'US', name: 'United States' }, ...others];
}
