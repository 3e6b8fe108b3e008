import { DomainError } from '#src/errors.ts';
import { isRecord } from '#src/geo/read-service-area.ts';

export type CityFeature = { geometry: unknown; properties: Record<string, unknown> };

/**
 * The features of a GeoJSON text.
 * @throws DomainError invalid_input
 */
export function readGeojson(text: string): CityFeature[] {
  const document = parse(text);
  const features =
    isRecord(document) && document.type === 'FeatureCollection' ? document.features : [document];
  if (!Array.isArray(features)) throw invalid('The FeatureCollection has no features array.');
  if (features.length === 0) throw invalid('The FeatureCollection has no features.');
  return features.map((feature: unknown, index) => {
    if (!isRecord(feature) || feature.type !== 'Feature') {
      const which = features.length > 1 ? `Feature ${index}` : 'The document';
      throw invalid(`${which} is not a GeoJSON Feature or FeatureCollection.`);
    }
    return { geometry: feature.geometry, properties: isRecord(feature.properties) ? feature.properties : {} };
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw invalid(`The file isn’t valid JSON: ${(error as SyntaxError).message}.`);
  }
}

function invalid(message: string): DomainError {
  return new DomainError('invalid_input', message, [{ param: 'file', message }]);
}
