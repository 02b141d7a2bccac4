/// Dots in the terminal: every cell is a Braille letter of 2 x 4 dots, or one ASCII mark.
#ifndef FOI_CANVAS_H
#define FOI_CANVAS_H

#include <foliot/memory.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The curves lie in layers, one each, so that a cell knows whose dots it holds.
typedef struct foi_canvas {
    const fo_allocator *allocator;
    int columns, rows; ///< cells
    int wide, high;    ///< dots of a cell
    size_t layers;
    uint8_t *cells; ///< one bit per dot; layer by layer, row by row
} foi_canvas;

/// False when there is no memory.
bool foi_canvas_make(foi_canvas *canvas, int columns, int rows, size_t layers, bool braille,
                     const fo_allocator *allocator);
void foi_canvas_free(foi_canvas *canvas);

/// The dots of a cell in one layer.
uint8_t foi_canvas_cell(const foi_canvas *canvas, size_t layer, int row, int column);

/// Writes the Braille letter with these dots as UTF-8 (3 bytes and a final 0).
void foi_braille(uint8_t dots, char text[4]);

typedef enum foi_dash { FOI_SOLID, FOI_DASHED, FOI_DOTTED, FOI_DASH_DOT, FOI_DASHES } foi_dash;

/// A pen that draws one curve; dots count from the upper left corner.
typedef struct foi_pen {
    foi_canvas *canvas;
    size_t layer;
    foi_dash dash;
    bool down;
    int x, y;
    unsigned way; ///< dots since the start, for dashes
} foi_pen;

void foi_pen_up(foi_pen *pen);
/// Draws a line from where the pen is, or a dot when it was up.
void foi_pen_to(foi_pen *pen, int x, int y);

#endif
