/** The Earth's mean radius (IUGG) in international miles. */
const earthRadiusMiles = 6_371.0088 / 1.609344;

export type Position = { latitude: number; longitude: number };

/** The great-circle distance between two positions in degrees, in miles (haversine). */
export function distanceMiles(from: Position, to: Position): number {
  const [lat1, lat2] = [radians(from.latitude), radians(to.latitude)];
  const halfLat = Math.sin((lat2 - lat1) / 2) ** 2;
  const halfLng = Math.sin(radians(to.longitude - from.longitude) / 2) ** 2;
  const chord = Math.min(1, halfLat + Math.cos(lat1) * Math.cos(lat2) * halfLng);
  return 2 * earthRadiusMiles * Math.asin(Math.sqrt(chord));
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
