/** That deliveries are stopped in a city, and whom to ask. */
export function stoppedCity(cityName: string, supportContact: string): { title: string; advice: string } {
  return {
    title: `Deliveries in ${cityName} are stopped.`,
    advice: `Ask ${supportContact} when they will start again.`,
  };
}
