"""A text that no model was trained on, for measures of likelihood."""

HELD_OUT = """The ferry to the island leaves at seven in the morning, and whoever misses it has to wait until noon. Marta had never missed it
in eleven years, but on the day of the storm she stood on the empty quay with a basket of bread under her arm and watched
the white stern grow small between the buoys. The captain had left four minutes early because the harbour office wanted
the basin clear before the wind turned. Nobody had told the baker.

She sat down on a bollard and counted. Forty loaves, twelve of them with caraway, and two trays of the flat cakes that the
schoolteacher bought on Fridays. If the bread stayed here until noon it would be sold as yesterday's, at half the price,
and the island would eat crackers. A rowing boat would need two hours with this swell, and her brother, who owned one, had
hurt his shoulder in the spring. The mail plane did not fly above wind force six.

Then she saw the pilot cutter. It lay at the inner pier with its engine running, and on its deck stood Jonas, who had been
in her class at school and had copied her sums for three years without ever being caught. He owed her something, she
thought, and walked over slowly, as if she had only come to look at the weather.

"You are going out," she said.

"There is a freighter off the northern light," said Jonas. "She wants a pilot. We pass the island, if that is what you mean,
but we do not stop there. It is against the rules."

"Nobody says that you have to stop. You only have to go slowly past the pier, and I throw."

He looked at the basket, at the sea and at the clock above the harbour office. The flat cakes smelled of butter. In the end
it took them nine minutes to the island, and the loaves flew across two metres of green water into the arms of the
postman, one after another, and only a single one fell short. A gull had it before it could sink. The schoolteacher paid
for thirteen cakes instead of twelve that Friday, and never said why."""
